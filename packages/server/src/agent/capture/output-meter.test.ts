// Growth of a log across rotations, both seen and missed.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OutputMeter } from './output-meter.ts';

function logOf(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-meter-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'x-json.log');
  const spare = join(directory, 'next');
  return {
    path,
    write: (bytes: number) => appendFileSync(path, 'x'.repeat(bytes)),
    rotate() {
      // Created before the old file is deleted, so that it can't get its inode.
      writeFileSync(spare, '');
      for (const [from, to] of [
        [`${path}.1`, `${path}.2`],
        [path, `${path}.1`],
        [spare, path],
      ] as const) {
        try {
          renameSync(from, to);
        } catch {
          // There is no such segment yet.
        }
      }
    },
  };
}

test('counts from the first look on, once each', (t) => {
  const log = logOf(t);
  const meter = new OutputMeter(log.path);
  assert.equal(meter.grown(), 0, 'there is no file yet');
  log.write(100);
  assert.equal(meter.grown(), 0);
  log.write(30);
  assert.equal(meter.grown(), 30);
  assert.equal(meter.grown(), 0);
});

test('counts over one and two rotations', (t) => {
  const log = logOf(t);
  const meter = new OutputMeter(log.path);
  log.write(100);
  meter.grown();
  log.write(1);
  log.rotate();
  log.write(20);
  assert.equal(meter.grown(), 21);
  log.write(1);
  log.rotate();
  log.write(200);
  log.rotate();
  log.write(3000);
  assert.equal(meter.grown(), 3201);
});

test('more rotations than files count what is left', (t) => {
  const log = logOf(t);
  const meter = new OutputMeter(log.path);
  log.write(5);
  meter.grown();
  for (const bytes of [10, 100, 1000, 10_000]) {
    log.rotate();
    log.write(bytes);
  }
  assert.equal(meter.grown(), 11_100);
});

test('a file that was emptied counts anew', (t) => {
  const log = logOf(t);
  const meter = new OutputMeter(log.path);
  log.write(100);
  meter.grown();
  writeFileSync(log.path, 'abc');
  assert.equal(meter.grown(), 3);
});
