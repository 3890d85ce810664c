// The one promise of log capture, as tests check it: every line once and in order, or a mark where
// some may be missing.
import assert from 'node:assert/strict';

/** Every written line stands in `items` once and in order; lines may be missing only where a null
 * stands. */
export function checkComplete(items: (string | null)[], written: string[]): void {
  let next = 0;
  let mayMiss = false;
  for (const item of items) {
    if (item === null) {
      mayMiss = true;
      continue;
    }
    const at: number = mayMiss ? written.indexOf(item, next) : next;
    assert.equal(written[at], item);
    next = at + 1;
    mayMiss = false;
  }
  if (!mayMiss) assert.equal(next, written.length);
}
