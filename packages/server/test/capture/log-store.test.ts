// The log store on the real database: order, history, live reading, retention.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LogRecord } from '../../src/core/domain/log-line.ts';
import { botId, openLogs, openStore, readTail, textEntry } from './log-fixture.ts';
import { until } from '../support/until.ts';

function textsOf(records: LogRecord[]): string[] {
  return records.map((record) => ('text' in record ? record.text : 'dropped'));
}

function numbered(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => textEntry(`line ${from + index}`));
}

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);
}

test('sequence numbers go up by one per bot, across restarts', async (t) => {
  const { store, database, table, otherBotId } = await openLogs(t);
  await store.append(botId, numbered(1, 3));
  await store.append(otherBotId, [textEntry('other')]);
  await openStore(database, table).append(botId, numbered(4, 5));
  const { records, next } = await store.read(botId, { limit: 10 });
  assert.deepEqual(
    records.map((record) => record.seq),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(textsOf(records), names(1, 5));
  assert.equal(next, null);
  assert.equal(await store.lastSeq(botId), 5);
  assert.equal(await store.lastSeq(otherBotId), 1);
});

test('an append joins the transaction around it: rolled back, it never was; committed, it is announced', async (t) => {
  const { store, database } = await openLogs(t);
  const reader = readTail((signal) => store.tail(botId, { tail: 10 }, { signal }));
  await assert.rejects(
    database.transaction(async () => {
      await store.append(botId, numbered(1, 2));
      throw new Error('no');
    }),
  );
  assert.equal(await store.lastSeq(botId), 0);
  await database.transaction(async () => {
    await store.append(botId, numbered(1, 1));
    await store.append(botId, numbered(2, 2));
  });
  await until(() => reader.items.length === 2);
  assert.deepEqual(reader.items, names(1, 2));
  await reader.stop();
});

test('small appends share a chunk, and are read from its middle', async (t) => {
  const { store, database } = await openLogs(t);
  for (let index = 1; index <= 100; index++) await store.append(botId, numbered(index, index));
  const chunks = await database.db
    .selectFrom('log_chunks')
    .select(['first_seq', 'last_seq', 'bytes', 'body'])
    .execute();
  assert.equal(chunks.length, 1);
  assert.equal(chunks[0]?.bytes, Buffer.byteLength(chunks[0]?.body ?? ''));
  const { records } = await store.read(botId, { after: 41, limit: 3 });
  assert.deepEqual(textsOf(records), names(42, 44));
});

test('history is read by place, time, stream, run and text', async (t) => {
  const { store } = await openLogs(t);
  await store.append(botId, [
    textEntry('one', { ts: '2026-01-01T00:00:00.000Z' }),
    textEntry('two', { ts: '2026-01-02T00:00:00.000Z', stream: 'stderr' }),
    textEntry('three', { ts: '2026-01-03T00:00:00.000Z', run: 2 }),
    { ts: '2026-01-03T00:00:00.000Z', run: 2, dropped: true, count: 4, reason: 'source_lost' },
    textEntry('Four', { ts: '2026-01-04T00:00:00.000Z', run: 2, stream: 'system' }),
  ]);
  const read = async (query: Partial<Parameters<typeof store.read>[1]>) => {
    const { records, next } = await store.read(botId, { limit: 10, ...query });
    return [...textsOf(records), ...(next === null ? [] : ['more'])];
  };
  assert.deepEqual(await read({ limit: 2 }), ['dropped', 'Four', 'more']);
  assert.deepEqual(await read({ limit: 2, before: 4 }), ['two', 'three', 'more']);
  assert.deepEqual(await read({ limit: 2, before: 3 }), ['one', 'two']);
  assert.deepEqual(await read({ limit: 2, after: 0 }), ['one', 'two', 'more']);
  assert.deepEqual(await read({ limit: 2, after: 3 }), ['dropped', 'Four']);
  assert.deepEqual(await read({ after: 1, before: 4 }), ['two', 'three']);
  assert.deepEqual(await read({ since: Date.parse('2026-01-02'), until: Date.parse('2026-01-03') }), [
    'two',
    'three',
    'dropped',
  ]);
  assert.deepEqual(await read({ filter: { stream: 'stderr' } }), ['two', 'dropped']);
  assert.deepEqual(await read({ filter: { firstRun: 2, lastRun: 2 } }), ['three', 'dropped', 'Four']);
  assert.deepEqual(await read({ filter: { lastRun: 1 } }), ['one', 'two']);
  assert.deepEqual(await read({ contains: 'fOUR' }), ['Four']);
  assert.deepEqual(await read({ contains: 'run' }), []);
  assert.deepEqual(await store.lastLines(botId, 1, 1), ['two']);
  assert.deepEqual(await store.lastLines(botId, 2, 10), ['three']);
  assert.deepEqual(await store.lastLines(botId, 3, 10), []);
});

test('pages of history put together are the whole history', async (t) => {
  const { store } = await openLogs(t);
  const text = 'x'.repeat(300);
  for (let index = 0; index < 20; index++) {
    await store.append(
      botId,
      Array.from({ length: 200 }, () => textEntry(text)),
    );
  }
  const seqs: number[] = [];
  for (let before: number | undefined; ; ) {
    const { records, next } = await store.read(botId, { limit: 333, before });
    seqs.unshift(...records.map((record) => record.seq));
    before = seqs[0];
    if (next === null) break;
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 4000 }, (_, index) => index + 1),
  );
});

test('a live reader begins where it is told to', async (t) => {
  const { store } = await openLogs(t);
  for (let index = 1; index <= 9; index++) {
    await store.append(botId, [
      textEntry(`line ${index}`, { ts: `2026-01-0${index}T00:00:00.000Z`, run: index < 5 ? 1 : 2 }),
    ]);
  }
  const begins = async (start: Parameters<typeof store.tail>[1], filter = {}) => {
    const reader = readTail((signal) => store.tail(botId, start, { filter, signal }));
    await until(() => reader.items.at(-1) === 'line 9' || reader.items.at(-1) === 'line 4');
    await reader.stop();
    return reader.items;
  };
  assert.deepEqual(await begins({ after: 6 }), names(7, 9));
  assert.deepEqual(await begins({ after: 0 }), names(1, 9));
  assert.deepEqual(await begins({ tail: 2 }), names(8, 9));
  assert.deepEqual(await begins({ tail: 5000 }), names(1, 9));
  assert.deepEqual(await begins({ since: Date.parse('2026-01-08') }), names(8, 9));
  assert.deepEqual(await begins({ tail: 2 }, { lastRun: 1 }), names(3, 4));
  const atEnd = readTail((signal) => store.tail(botId, { tail: 0 }, { signal }));
  const ahead = readTail((signal) => store.tail(botId, { after: 1000 }, { signal }));
  const future = readTail((signal) => store.tail(botId, { since: Date.parse('2027-01-01') }, { signal }));
  await until(async () => {
    await store.append(botId, numbered(10, 10));
    return [atEnd, ahead, future].every((reader) => reader.items.length > 0);
  });
  for (const reader of [atEnd, ahead, future]) {
    await reader.stop();
    assert.ok(reader.items.every((item) => item === 'line 10'));
  }
});

test('readers that keep up share the very same lines', async (t) => {
  const { store } = await openLogs(t);
  const readers = [1, 2, 3].map(() => readTail((signal) => store.tail(botId, { tail: 0 }, { signal })));
  await until(async () => {
    await store.append(botId, numbered(1, 1));
    return readers.every((reader) => reader.items.length > 0);
  });
  await store.append(botId, numbered(2, 50));
  await until(() => readers.every((reader) => reader.items.at(-1) === 'line 50'));
  const [first, ...others] = readers.map((reader) => reader.batches.at(-1));
  for (const other of others) assert.equal(other, first);
  for (const reader of readers) await reader.stop();
});

test('whatever readers do, each gets every line once and in order', async (t) => {
  const { store } = await openLogs(t);
  let written = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat(3), fc.boolean()), { minLength: 3, maxLength: 25 }),
      async (steps) => {
        const start = written;
        const signal = new AbortController();
        const readers = [0, 1, 2, 3].map(() => {
          const iterator = store.tail(botId, { after: start }, { signal: signal.signal })[Symbol.asyncIterator]();
          return { place: start, iterator };
        });
        const pull = async (reader: (typeof readers)[number]) => {
          const { value } = await reader.iterator.next();
          assert.ok(value?.kind === 'lines');
          assert.equal(value.first, reader.place + 1);
          assert.equal(value.lines.length, value.last - value.first + 1);
          value.lines.forEach((line, index) => assert.equal(JSON.parse(line).text, `line ${value.first + index}`));
          reader.place = value.last;
        };
        for (const [count, who, wait] of steps) {
          const appended = store.append(botId, numbered(written + 1, written + count));
          written += count;
          if (wait) await appended;
          await pull(readers[who]!);
          await appended;
        }
        for (const reader of readers) while (reader.place < written) await pull(reader);
        signal.abort();
        for (const reader of readers) assert.equal((await reader.iterator.next()).done, true);
      },
    ),
    { numRuns: 25 },
  );
});

test('a reader that resumes after the last line it has seen misses none and gets none twice', async (t) => {
  const { store } = await openLogs(t);
  const seen: number[] = [];
  let writing = true;
  const writer = (async () => {
    for (let index = 1; index <= 3000; index += 30) await store.append(botId, numbered(index, index + 29));
    writing = false;
  })();
  while (writing || seen.length < 3000) {
    const abort = new AbortController();
    for await (const item of store.tail(botId, { after: seen.at(-1) ?? 0 }, { signal: abort.signal })) {
      assert.ok(item.kind === 'lines');
      if (item.lines.length === 0) continue;
      // The connection breaks in the middle of a batch.
      const received = item.lines.slice(0, Math.ceil(item.lines.length / 2));
      seen.push(...received.map((line) => JSON.parse(line).seq));
      break;
    }
    abort.abort();
  }
  await writer;
  assert.deepEqual(
    seen,
    Array.from({ length: 3000 }, (_, index) => index + 1),
  );
});

test('a reader that stands still costs no memory, and is told what it missed when it goes on too late', async (t) => {
  const { store } = await openLogs(t);
  await store.append(botId, numbered(1, 1));
  const abort = new AbortController();
  const iterator = store.tail(botId, { after: 0 }, { signal: abort.signal })[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).value?.kind, 'lines');
  assert.equal((await iterator.next()).value?.kind, 'lines');
  const text = 'y'.repeat(400);
  const batch = Array.from({ length: 2000 }, () => textEntry(text));
  for (let index = 0; index < 60; index++) await store.append(botId, batch);
  const last = 1 + 60 * 2000;
  const gap = (await iterator.next()).value;
  assert.deepEqual(gap, { kind: 'gap', from: 2, to: last - 1000, reason: 'slow_client' });
  const next = (await iterator.next()).value;
  assert.ok(next?.kind === 'lines' && next.first === last - 999);
  abort.abort();
  assert.equal((await iterator.next()).done, true);
});

test('who begins far back is not moved ahead', async (t) => {
  const { store } = await openLogs(t);
  for (let index = 0; index < 12; index++) {
    await store.append(
      botId,
      Array.from({ length: 10_000 }, () => textEntry('z')),
    );
  }
  const abort = new AbortController();
  let place = 0;
  for await (const item of store.tail(botId, { after: 0 }, { signal: abort.signal })) {
    assert.ok(item.kind === 'lines' && item.first === place + 1);
    place = item.last;
    if (place === 120_000) break;
  }
  abort.abort();
  assert.equal(place, 120_000);
});

test('oldest lines go when the log is too large; a reader that was there is told', async (t) => {
  const { store, database } = await openLogs(t, { maxBytes: 1_000_000 });
  const entries = Array.from({ length: 500 }, () => textEntry('w'.repeat(200)));
  await store.append(botId, entries);
  const abort = new AbortController();
  const iterator = store.tail(botId, { after: 100 }, { signal: abort.signal })[Symbol.asyncIterator]();
  assert.deepEqual((await iterator.next()).value, { kind: 'lines', first: 101, last: 100, lines: [] });
  for (let index = 0; index < 20; index++) await store.append(botId, entries);
  const first = (await iterator.next()).value;
  assert.ok(first?.kind === 'gap' && first.from === 101 && first.reason === 'retention');
  const second = (await iterator.next()).value;
  assert.ok(second?.kind === 'lines' && second.first === first.to + 1);
  abort.abort();
  const sum = await database.db
    .selectFrom('log_chunks')
    .select((select) => [select.fn.sum<number>('bytes').as('bytes'), select.fn.max('last_seq').as('last')])
    .executeTakeFirstOrThrow();
  const head = await database.db.selectFrom('log_heads').selectAll().executeTakeFirstOrThrow();
  assert.equal(head.bytes, sum.bytes);
  assert.equal(sum.last, 10_500);
  assert.ok(sum.bytes <= 1_000_000 && sum.bytes > 800_000);
});

test('old lines go by age, the newest chunk too, and appending goes on', async (t) => {
  const { store } = await openLogs(t);
  const old = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000).toISOString();
  await store.append(botId, [textEntry('old', { ts: old })]);
  await store.prune(botId);
  assert.deepEqual((await store.read(botId, { limit: 10 })).records, []);
  await store.append(botId, [textEntry('new', { ts: new Date().toISOString() })]);
  await store.prune(botId);
  const { records } = await store.read(botId, { limit: 10 });
  assert.deepEqual(textsOf(records), ['new']);
  assert.equal(records[0]?.seq, 2);
  const reader = readTail((signal) => store.tail(botId, { after: 0 }, { signal }));
  await until(() => reader.items.length === 2);
  await reader.stop();
  assert.deepEqual(reader.items, [{ kind: 'gap', from: 1, to: 1, reason: 'retention' }, 'new']);
});
