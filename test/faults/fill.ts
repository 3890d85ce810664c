// Takes all room that a file system has left.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

export function fill(path: string): void {
  for (const bytes of [1024 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
}
