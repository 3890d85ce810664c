// The machine's disks: the worse of two file systems, in bytes and in files; an absent or hanging
// engine blocks nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { until } from '../../../test/support/until.ts';
import { HostStorage } from './host-storage.ts';

/** Mounts a file system of 1 MB and 10 files; null where mounting is impossible. */
function mountSmall(): string | null {
  const path = mkdtempSync(join(tmpdir(), 'botel-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=11', 'botel-test', path], { stdio: 'pipe' });
    return path;
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
}

const small = mountSmall();
const skip = small === null && 'no tmpfs can be mounted here';

test('the disk of the engine counts once the engine has said where it is', { skip }, async (t) => {
  const engineDirectory = small!;
  const dataDirectory = mkdtempSync(join(tmpdir(), 'botel-data-'));
  t.after(() => {
    execFileSync('umount', [engineDirectory]);
    rmSync(engineDirectory, { recursive: true });
    rmSync(dataDirectory, { recursive: true });
  });
  const clock = new ManualClock(0);
  const engine = { answer: null as Promise<string> | null };
  const storage = new HostStorage({
    dataDirectory,
    engineDirectory: () => engine.answer ?? Promise.reject(new Error('away')),
    // This machine's own disk may be full.
    marks: { warnPercent: 99, refusePercent: 100 },
    clock,
  });
  const level = () => {
    clock.advance(1_000);
    return storage.level();
  };
  writeFileSync(join(engineDirectory, 'filler'), Buffer.alloc(1024 * 1024));
  assert.equal(await level(), 'ok', 'away');
  const answer = Promise.withResolvers<string>();
  engine.answer = answer.promise;
  assert.equal(await level(), 'ok', 'it hangs');
  answer.resolve(engineDirectory);
  await until(async () => (await level()) === 'full');
  await assert.rejects(storage.refuseIfFull(), { code: 'storage_full' });
  rmSync(join(engineDirectory, 'filler'));
  assert.equal(await storage.level(), 'full', 'a look is kept for a second');
  assert.equal(await level(), 'ok');
  for (let n = 0; n < 9; n++) writeFileSync(join(engineDirectory, String(n)), '');
  assert.equal(await level(), 'ok');
  writeFileSync(join(engineDirectory, '9'), '');
  assert.equal(await level(), 'full', 'of files');
});
