// Which images with packages are removed: those that no bot needed for a week, and, when there are
// very many, the longest unneeded ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Runtime } from '../../core/domain/runtime.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { judge, removeUnusedImages } from './remove-unused-images.ts';

const dayMs = 24 * 60 * 60 * 1000;

test('an image is forgotten a week after its last use, counted from the first look when it was never seen used', () => {
  const first = judge(['a', 'b'], new Set(['a']), {}, 0);
  assert.deepEqual(first, { uses: { a: 0, b: 0 }, expired: [] });
  const second = judge(['a', 'b'], new Set(['a']), first.uses, 7 * dayMs);
  assert.deepEqual(second, { uses: { a: 7 * dayMs, b: 0 }, expired: [] });
  assert.deepEqual(judge(['a', 'b'], new Set(), second.uses, 7 * dayMs + 1).expired, ['b']);
  assert.deepEqual(judge(['a'], new Set(), second.uses, 8 * dayMs).uses, { a: 7 * dayMs }, 'b is gone and forgotten');
});

test('of more than sixteen that nobody needs the oldest go at once; needed ones never', () => {
  const ids = Array.from({ length: 20 }, (_, place) => `i${place}`);
  const uses = Object.fromEntries(ids.map((id, place) => [id, place]));
  assert.deepEqual(judge(ids, new Set(), uses, 100).expired.toSorted(), ['i0', 'i1', 'i2', 'i3']);
  assert.deepEqual(judge(ids, new Set(['i0', 'i1']), uses, 100).expired.toSorted(), ['i2', 'i3']);
  assert.deepEqual(judge(ids, new Set(ids), uses, 100 * dayMs).expired, []);
});

test('the task remembers uses, looks for what bots need now, and removes the rest', async () => {
  const clock = new ManualClock(0);
  const jq: Runtime = { language: 'nodejs', version: '24', packages: ['jq'] };
  let needed: Runtime[] = [jq];
  let stored: string | null = null;
  const removed: string[] = [];
  const task = removeUnusedImages({
    clock,
    bots: { runtimesWithPackages: async () => needed },
    settings: {
      get: async () => stored,
      set: async (_key, value) => void (stored = value),
    },
    engine: {
      packageImages: async () => ['image of jq', 'image of old'],
      findImage: async ({ packages }) => (packages[0] === 'jq' ? 'image of jq' : null),
      removeImage: async (id) => void removed.push(id),
    },
  });
  await task.run();
  assert.deepEqual(removed, []);
  clock.advance(8 * dayMs);
  await task.run();
  assert.deepEqual(removed, ['image of old']);
  needed = [{ ...jq, packages: ['missing'] }];
  clock.advance(8 * dayMs);
  await task.run();
  assert.deepEqual(removed, ['image of old', 'image of jq', 'image of old']);
});
