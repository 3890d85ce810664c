// The tail of a simulated json-file: rotation, restarts, losses, damage.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { checkComplete } from '../../../test/capture/check-complete.ts';
import { JsonFileTail, type TailCursor } from './json-file-tail.ts';

/** Simulates the engine's log of a container: at most three files; `rotate` begins a new one. */
class EngineLog {
  readonly path: string;
  written: string[] = [];

  constructor(directory: string) {
    this.path = join(directory, 'x-json.log');
  }

  write(count: number): void {
    const lines = Array.from(
      { length: count },
      (_, index) => `line ${this.written.length + index} ${'.'.repeat(index % 90)}`,
    );
    appendFileSync(this.path, lines.map((line) => `${line}\n`).join(''));
    this.written.push(...lines);
  }

  rotate(): void {
    for (const [from, to] of [
      ['.1', '.2'],
      ['', '.1'],
    ]) {
      try {
        renameSync(this.path + from, this.path + to);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
      }
    }
    writeFileSync(this.path, '');
  }
}

function setUp(t: TestContext): EngineLog {
  const directory = mkdtempSync(join(tmpdir(), 'botel-tail-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return new EngineLog(directory);
}

interface ReadResult {
  /** Lines, and `null` where a loss was reported. */
  items: (string | null)[];
  cursor: TailCursor | null;
}

function readAll(tail: JsonFileTail): ReadResult {
  const result: ReadResult = { items: [], cursor: null };
  for (let slice = tail.read(); slice; slice = tail.read()) {
    if (slice.lost || slice.broken > 0) result.items.push(null);
    result.items.push(...slice.lines.split('\n').slice(0, -1));
    result.cursor = slice.cursor;
  }
  return result;
}

test('a missing file has nothing to read, and is found when it comes', (t) => {
  const log = setUp(t);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  assert.equal(tail.read(), null);
  assert.equal(tail.opened, false);
  log.write(3);
  assert.deepEqual(readAll(tail).items, log.written);
  assert.equal(tail.opened, true);
});

test('only complete lines are read', (t) => {
  const log = setUp(t);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  appendFileSync(log.path, 'one\ntw');
  assert.deepEqual(readAll(tail).items, ['one']);
  assert.deepEqual(tail.rest(), { lost: false, broken: 1 });
  appendFileSync(log.path, 'o\n');
  assert.deepEqual(readAll(tail).items, ['two']);
  assert.deepEqual(tail.rest(), { lost: false, broken: 0 });
});

test('rotation while reading loses nothing, even when files are deleted that are not read yet', (t) => {
  const log = setUp(t);
  log.write(2000);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  const items = tail.read()?.lines.split('\n').slice(0, -1) ?? [];
  for (let rotation = 0; rotation < 6; rotation++) {
    log.write(1500);
    log.rotate();
    log.write(10);
    // One read is enough to hold the new file open.
    items.push(...(tail.read()?.lines.split('\n').slice(0, -1) ?? []));
  }
  items.push(...(readAll(tail).items as string[]));
  assert.deepEqual(items, log.written);
});

test('a segment that was rotated away unseen is told', (t) => {
  const log = setUp(t);
  log.write(10);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  readAll(tail);
  for (let rotation = 0; rotation < 4; rotation++) {
    log.rotate();
    log.write(10);
  }
  assert.deepEqual(readAll(tail).items, [null, ...log.written.slice(20)]);
});

test('a new tail begins with the oldest file, and tells of what may have been before a full set', (t) => {
  const log = setUp(t);
  for (let rotation = 0; rotation < 2; rotation++) {
    log.write(10);
    if (rotation === 1) break;
    log.rotate();
  }
  const two = new JsonFileTail(log.path, null);
  assert.deepEqual(readAll(two).items, log.written);
  two.close();
  log.rotate();
  log.write(10);
  const three = new JsonFileTail(log.path, null);
  assert.deepEqual(readAll(three).items, [null, ...log.written]);
  three.close();
});

test('a full newest file behind another is being rotated: the oldest may be gone already', (t) => {
  const log = setUp(t);
  log.write(2);
  log.rotate();
  log.write(2);
  const begin = () => readAll(new JsonFileTail(log.path, null)).items[0];
  assert.equal(begin(), log.written[0]);
  truncateSync(log.path, 10_000_000);
  assert.equal(begin(), null);
});

test('a cursor is found again after rotations, and missed when its file is gone', (t) => {
  const log = setUp(t);
  log.write(10);
  const first = new JsonFileTail(log.path, null);
  const { cursor } = readAll(first);
  first.close();
  log.write(5);
  log.rotate();
  log.write(5);
  const second = new JsonFileTail(log.path, cursor);
  assert.deepEqual(readAll(second).items, log.written.slice(10));
  second.close();
  for (let rotation = 0; rotation < 2; rotation++) {
    log.rotate();
    log.write(5);
  }
  const third = new JsonFileTail(log.path, cursor);
  assert.deepEqual(readAll(third).items, [null, ...log.written.slice(15)]);
  third.close();
});

test('an inode that was used again is no place to go on', (t) => {
  const log = setUp(t);
  log.write(10);
  const first = new JsonFileTail(log.path, null);
  const { cursor } = readAll(first);
  first.close();
  unlinkSync(log.path);
  // The same inode, but with other lines in it.
  writeFileSync(log.path, 'other\n'.repeat(500));
  const inode = new JsonFileTail(log.path, null);
  const reused = { ...cursor!, inode: readAll(inode).cursor!.inode };
  inode.close();
  const second = new JsonFileTail(log.path, reused);
  assert.deepEqual(readAll(second).items, [null, ...Array(500).fill('other')]);
  second.close();
});

test('an emptied file is read anew and told', (t) => {
  const log = setUp(t);
  log.write(10);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  readAll(tail);
  truncateSync(log.path, 0);
  appendFileSync(log.path, 'anew\n');
  assert.deepEqual(readAll(tail).items, [null, 'anew']);
});

test('a line longer than the buffer is skipped and counted, what follows is read', (t) => {
  const log = setUp(t);
  appendFileSync(log.path, `first\n${'x'.repeat(400_000)}\nlast\n`);
  const tail = new JsonFileTail(log.path, null);
  t.after(() => tail.close());
  assert.deepEqual(readAll(tail).items, ['first', null, 'last']);
});

test('any history of writes, rotations, looks and restarts gives every line once, in order, or a told loss', () => {
  const actions = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 1500 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('rotate' as const) }) },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('read' as const), slices: fc.integer({ min: 1, max: 4 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    ),
    { minLength: 5, maxLength: 40 },
  );
  fc.assert(
    fc.property(actions, (history) => {
      const directory = mkdtempSync(join(tmpdir(), 'botel-tail-'));
      try {
        const log = new EngineLog(directory);
        let tail = new JsonFileTail(log.path, null);
        let cursor: TailCursor | null = null;
        const items: (string | null)[] = [];
        const read = (slices: number) => {
          for (let count = 0; count < slices; count++) {
            const slice = tail.read();
            if (!slice) return;
            if (slice.lost || slice.broken > 0) items.push(null);
            items.push(...slice.lines.split('\n').slice(0, -1));
            cursor = slice.cursor;
          }
        };
        for (const action of history) {
          if (action.kind === 'write') log.write(action.count);
          else if (action.kind === 'rotate') log.rotate();
          else if (action.kind === 'read') read(action.slices);
          else {
            tail.close();
            tail = new JsonFileTail(log.path, cursor);
          }
        }
        read(1e6);
        const rest = tail.rest();
        tail.close();
        if (rest.lost || rest.broken > 0) items.push(null);
        checkComplete(items, log.written);
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 200 },
  );
});
