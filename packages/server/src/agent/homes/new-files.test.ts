// Filling several new files at a time: all are complete, and the first failure is reported.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFileCount } from '../../../test/support/files-fixture.ts';
import { NewFiles } from './new-files.ts';

const facts = { uid: 100_777, mode: 0o640, modifiedAt: new Date(1_000_000_000_000) };

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'botel-new-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Pieces of uneven lengths, each of a different letter. */
async function* pieces(count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(20_000 + index, 97 + (index % 26));
}

test('files of no, one and many pieces arrive whole, with mode and time', async (t) => {
  const folder = makeFolder(t);
  const before = openFileCount();
  await using files = new NewFiles();
  const counts = Array.from({ length: 60 }, (_, index) => index);
  for (const count of counts) await files.add(await open(join(folder, `${count}`), 'wx'), facts, pieces(count));
  await files.finish();
  for (const count of counts) {
    const path = join(folder, `${count}`);
    assert.ok(readFileSync(path).equals(Buffer.concat(await Array.fromAsync(pieces(count)))), `${count} pieces`);
    const stats = statSync(path);
    assert.deepEqual([stats.mode & 0o777, stats.mtimeMs], [0o640, 1_000_000_000_000]);
  }
  assert.equal(openFileCount(), before);
});

test('a file that can not be written or whose bytes end early rejects, and none stays open', async (t) => {
  const folder = makeFolder(t);
  const before = openFileCount();
  const files = new NewFiles();
  await files.add(await open(join(folder, 'good'), 'wx'), facts, pieces(1));
  await files.add(await open('/dev/full', 'w'), facts, pieces(1));
  await assert.rejects(files.finish(), { code: 'ENOSPC' });
  await assert.rejects(files.add(await open(join(folder, 'later'), 'wx'), facts, pieces(1)), { code: 'ENOSPC' });
  await files[Symbol.asyncDispose]();

  async function* broken() {
    yield* pieces(1);
    throw new Error('cut off');
  }
  await using others = new NewFiles();
  await assert.rejects(others.add(await open(join(folder, 'cut'), 'wx'), facts, broken()), { message: 'cut off' });
  assert.equal(openFileCount(), before);
});
