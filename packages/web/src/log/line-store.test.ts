// What the panel shows while lines arrive, are held, cleared, and loaded from history.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type HoldReason, LineStore, type LogSnapshot } from './line-store.ts';
import type { LineRow, LogRow } from './log-row.ts';

function line(seq: number, run = 1): LineRow {
  return {
    kind: 'line',
    seq,
    ts: '2026-01-31T12:00:00.000Z',
    run,
    stream: 'stdout',
    text: `line ${seq}`,
    partial: false,
  };
}

function lines(from: number, to: number, run = 1): LineRow[] {
  return Array.from({ length: to - from + 1 }, (_, index) => line(from + index, run));
}

/** A store whose frames are drawn by hand. */
function makeStore(cap = 500, perFrame?: number) {
  let flush: (() => void) | null = null;
  const store = new LineStore({ cap, ...(perFrame && { perFrame }), schedule: (callback) => (flush = callback) });
  const frame = () => {
    const callback = flush;
    flush = null;
    callback?.();
  };
  const take = (rows: readonly LogRow[]) => {
    for (const row of rows) store.push(row);
    frame();
  };
  return { store, frame, take, shown: () => describeRows(store.snapshot()) };
}

/** `1-5`, `gap 6-9` … */
function describeRows({ chunks }: LogSnapshot): string[] {
  const parts: string[] = [];
  let from = 0;
  let to = 0;
  const close = () => {
    if (to > 0) parts.push(`${from}-${to}`);
    to = 0;
  };
  for (const row of chunks.flatMap((chunk) => chunk.rows)) {
    if (row.kind === 'gap' || row.seq !== to + 1) close();
    if (row.kind === 'gap') parts.push(`gap ${row.seq}-${row.to}`);
    else if (to === 0) from = row.seq;
    if (row.kind !== 'gap') to = row.seq;
  }
  close();
  return parts;
}

describe('lines that come', () => {
  test('are shown with the next frame, once', () => {
    const { store, frame, shown } = makeStore();
    for (const row of [...lines(1, 3), ...lines(2, 4)]) store.push(row);
    assert.deepEqual(shown(), []);
    frame();
    assert.deepEqual(shown(), ['1-4']);
    assert.equal(store.newest, 4);
  });

  test('leave chunks that are full as they are', () => {
    const { store, take } = makeStore();
    take(lines(1, 150));
    const before = store.snapshot().chunks;
    take(lines(151, 160));
    const after = store.snapshot().chunks;
    assert.deepEqual(
      after.map((chunk) => [chunk.key, chunk.rows.length]),
      [
        [0, 99],
        [1, 61],
      ],
    );
    assert.equal(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
  });

  test('push the oldest chunk out as a whole', () => {
    const { store, take, shown } = makeStore(500);
    take(lines(1, 510));
    assert.deepEqual(shown(), ['100-510']);
    assert.equal(store.snapshot().first, 100);
  });

  test('show what is missing', () => {
    const { take, shown } = makeStore();
    take([line(1), { kind: 'gap', seq: 2, to: 5, reason: 'slow_client' }, line(6), line(9)]);
    assert.deepEqual(shown(), ['1-1', 'gap 2-5', '6-6', 'gap 7-8', '9-9']);
  });

  test('are spread over frames when there are many', () => {
    const { store, frame, shown } = makeStore(500, 50);
    for (const row of lines(1, 120)) store.push(row);
    frame();
    assert.deepEqual(shown(), ['1-50']);
    assert.equal(store.snapshot().waiting, 0);
    frame();
    frame();
    assert.deepEqual(shown(), ['1-120']);
  });

  test('know the run before each chunk', () => {
    const { store, take } = makeStore();
    take([...lines(1, 120, 1), ...lines(121, 220, 2)]);
    assert.deepEqual(
      store.snapshot().chunks.map((chunk) => chunk.runBefore),
      [null, 1, 2],
    );
  });
});

describe('while it is held', () => {
  test('nothing is added or dropped, and what waits is counted', () => {
    const { store, take, frame, shown } = makeStore();
    take(lines(1, 10));
    const { chunks } = store.snapshot();
    store.hold('selection');
    store.hold('scrolled');
    take(lines(11, 30));
    assert.equal(store.snapshot().chunks, chunks);
    assert.equal(store.snapshot().waiting, 20);
    store.release('selection');
    frame();
    assert.deepEqual(shown(), ['1-10']);
    store.release('scrolled');
    frame();
    assert.deepEqual(shown(), ['1-30']);
    assert.equal(store.snapshot().waiting, 0);
  });

  test('only the newest lines wait; the others are left to history', () => {
    const { store, take, frame, shown } = makeStore(500);
    take(lines(1, 10));
    store.hold('paused');
    take(lines(11, 2000));
    assert.equal(store.snapshot().waiting, 1990);
    store.release('paused');
    frame();
    assert.deepEqual(shown(), ['1600-2000']);
    assert.equal(store.snapshot().first, 1600);
  });
});

describe('history', () => {
  test('comes before what is shown', () => {
    const { store, take, shown } = makeStore();
    take(lines(301, 320));
    store.insert(lines(201, 300), { from: 201, to: 300 });
    assert.deepEqual(shown(), ['201-320']);
    assert.equal(store.newest, 320);
  });

  test('beyond the cap takes the place of the newest lines, which wait', () => {
    const { store, take, frame, shown } = makeStore(500);
    take(lines(1001, 1500));
    store.hold('scrolled');
    store.insert(lines(801, 1000), { from: 801, to: 1000 });
    assert.deepEqual(shown(), ['801-1299']);
    assert.equal(store.snapshot().waiting, 201);
    store.release('scrolled');
    store.push(line(1501));
    frame();
    assert.match(shown().join(), /^\d+-1501$/);
  });

  test('fills gaps, also in part', () => {
    const { store, take, shown } = makeStore();
    take([...lines(1, 10), ...lines(201, 210)]);
    store.insert(lines(11, 60), { from: 11, to: 60 });
    assert.deepEqual(shown(), ['1-60', 'gap 61-200', '201-210']);
    // Lines that no longer exist leave no gap behind.
    store.insert(lines(100, 200), { from: 61, to: 200 });
    assert.deepEqual(shown(), ['1-60', '100-210']);
  });

  test('from far away leaves a gap between', () => {
    const { store, take, shown } = makeStore();
    take(lines(301, 320));
    store.insert(lines(101, 110), { from: 101, to: 110 });
    assert.deepEqual(shown(), ['101-110', 'gap 111-300', '301-320']);
    store.insert(lines(111, 300), { from: 111, to: 300 });
    assert.deepEqual(shown(), ['101-320']);
  });

  test('around an old line: the live lines follow behind a gap', () => {
    const { store, take, shown } = makeStore();
    store.insert(lines(50, 60), { from: 50, to: 60 });
    take(lines(55, 70));
    take(lines(90, 95));
    assert.deepEqual(shown(), ['50-70', 'gap 71-89', '90-95']);
  });

  test('leaves chunks alone that it does not touch', () => {
    const { store, take } = makeStore();
    take(lines(300, 450));
    const before = store.snapshot().chunks;
    store.insert(lines(250, 299), { from: 250, to: 299 });
    const after = store.snapshot().chunks;
    assert.equal(after.at(-1), before.at(-1));
  });
});

test('after clearing, only new lines are shown, without a gap before them', () => {
  const { store, take, shown } = makeStore();
  take(lines(1, 10));
  store.clear();
  assert.deepEqual(shown(), []);
  take(lines(8, 12));
  assert.deepEqual(shown(), ['11-12']);
});

test('no line is lost or doubled, whatever happens', () => {
  const reasons: HoldReason[] = ['selection', 'scrolled', 'paused'];
  const step = fc.oneof(
    fc.record({ kind: fc.constant('lines' as const), count: fc.nat(400), again: fc.nat(30) }),
    fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const), reason: fc.constantFrom(...reasons) }),
    fc.record({ kind: fc.constant('older' as const), count: fc.integer({ min: 1, max: 300 }) }),
    fc.constant({ kind: 'frame' as const }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { store, frame } = makeStore(300);
      let last = 5000;
      for (const each of steps) {
        if (each.kind === 'lines') {
          for (const row of lines(Math.max(5001, last + 1 - each.again), last + each.count)) store.push(row);
          last += each.count;
        } else if (each.kind === 'hold') store.hold(each.reason);
        else if (each.kind === 'release') store.release(each.reason);
        else if (each.kind === 'older') {
          const first = store.snapshot().first;
          if (first !== null)
            store.insert(lines(first - each.count, first - 1), { from: first - each.count, to: first - 1 });
        } else frame();
        assertWhole(store.snapshot());
      }
      for (const reason of reasons) store.release(reason);
      store.push(line(last + 1));
      frame();
      const rows = store.snapshot().chunks.flatMap((chunk) => chunk.rows);
      assert.equal(rows.at(-1)?.seq, last + 1);
      assertWhole(store.snapshot());
    }),
  );
});

/** Every number from the first row to the last is there once, as a line or in a gap. */
function assertWhole({ chunks }: LogSnapshot): void {
  let next: number | null = null;
  for (const chunk of chunks)
    for (const row of chunk.rows) {
      assert.equal(row.seq, next ?? row.seq);
      next = (row.kind === 'gap' ? row.to : row.seq) + 1;
    }
}
