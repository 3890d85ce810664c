// Searches over long logs: bounded, ended by their caller, and as right as on short ones; whole
// logs page by page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LogStore } from '../../src/core/logs/log-store.ts';
import { botId, openLogs, textEntry } from './log-fixture.ts';

/** Appends about `megabytes` of lines that all look alike. */
async function fill(store: LogStore, megabytes: number, run = 1): Promise<void> {
  const lines = Array.from({ length: 128 }, () => textEntry('x'.repeat(8000), { run }));
  for (let count = 0; count < megabytes; count++) await store.append(botId, lines);
}

test('a search that finds nothing ends early and says where to go on, in both directions', async (t) => {
  const { store } = await openLogs(t);
  await store.append(botId, [textEntry('needle, the oldest')]);
  await fill(store, 40);
  await store.append(botId, [textEntry('needle, the newest')]);
  const last = await store.lastSeq(botId);
  for (const [start, found] of [
    [{ before: last }, 'needle, the oldest'],
    [{ after: 1 }, 'needle, the newest'],
  ] as const) {
    const first = await store.read(botId, { ...start, limit: 5, contains: 'NEEDLE' });
    assert.deepEqual(first.records, []);
    const { next } = first;
    assert.ok(next !== null && next > 1 && next < last);
    const goOn = 'after' in start ? { after: next } : { before: next };
    const second = await store.read(botId, { ...goOn, limit: 5, contains: 'NEEDLE' });
    assert.deepEqual(
      second.records.map((record) => 'text' in record && record.text),
      [found],
    );
    assert.equal(second.next, null);
  }
});

test('a run is found at once, wherever it is', async (t) => {
  const { store } = await openLogs(t);
  await store.append(botId, [textEntry('a', { run: 1 }), textEntry('b', { run: 2 }), textEntry('c', { run: 2 })]);
  await fill(store, 40, 3);
  await store.append(botId, [textEntry('d', { run: 5 })]);
  for (const [run, texts] of [
    [1, ['a']],
    [2, ['b', 'c']],
    [4, []],
    [5, ['d']],
    [6, []],
  ] as const)
    for (const start of [{}, { after: 0 }]) {
      const { records, next } = await store.read(botId, {
        ...start,
        limit: 9,
        filter: { firstRun: run, lastRun: run },
      });
      assert.deepEqual(
        records.map((record) => 'text' in record && record.text),
        texts,
      );
      assert.equal(next, null);
    }
});

test('a search lets others have their turn and ends when its caller has gone', async (t) => {
  const { store } = await openLogs(t);
  await fill(store, 20);
  const abort = new AbortController();
  let turns = 0;
  const turn = setInterval(() => turns++ === 3 && abort.abort(), 0);
  await store.read(botId, { limit: 5, contains: 'needle', signal: abort.signal });
  clearInterval(turn);
  assert.ok(abort.signal.aborted);
  const pages = [];
  for await (const page of store.scan(botId, { contains: 'needle', signal: abort.signal })) pages.push(page);
  assert.deepEqual(pages, []);
});

test('whatever is searched for is found where it is, in any case of letters', async (t) => {
  const { store } = await openLogs(t);
  const words = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.constantFrom('É"\\', '\t', 'İK')));
  const property = fc.asyncProperty(words, fc.nat(), fc.nat(), async (parts, from, length) => {
    const text = parts.join(' ').replaceAll('\n', ' ').toWellFormed();
    const start = text === '' ? 0 : from % text.length;
    const wanted = text.slice(start, start + 1 + (length % 8)).toUpperCase();
    await store.append(botId, [textEntry(text)]);
    const after = (await store.lastSeq(botId)) - 1;
    const { records } = await store.read(botId, { limit: 1, after, contains: wanted });
    assert.equal(records.length === 1, text.toLowerCase().includes(wanted.toLowerCase()));
  });
  await fc.assert(property, { numRuns: 200 });
});

test('a whole log, page by page, up to the line that was the newest at the beginning', async (t) => {
  const { store } = await openLogs(t);
  await fill(store, 2);
  const last = await store.lastSeq(botId);
  const seqs: number[] = [];
  for await (const page of store.scan(botId, {})) {
    assert.equal(page.gap, null);
    if (seqs.length === 0) await store.append(botId, [textEntry('later')]);
    seqs.push(...page.records.map((record) => record.seq));
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: last }, (_, index) => index + 1),
  );
});

test('lines that are deleted while a log is read are told as a gap', async (t) => {
  const { store } = await openLogs(t, { maxBytes: 3_000_000 });
  await fill(store, 2);
  const last = await store.lastSeq(botId);
  for (const deletes of [1.5, 5]) {
    let place = 0;
    let gaps = 0;
    for await (const { gap, records } of store.scan(botId, {})) {
      if (place === 0) {
        place = (records[0]?.seq ?? 1) - 1;
        await fill(store, deletes);
      }
      if (gap) {
        assert.equal(gap.from, place + 1);
        place = gap.to;
        gaps++;
      }
      for (const { seq } of records) assert.equal(seq, ++place);
    }
    assert.ok(gaps === 1 && place >= last, `${gaps} gaps, the last line is ${place} of ${last}`);
  }
});

test('lines that arrive while a log is read are read once', async (t) => {
  const { store } = await openLogs(t);
  await store.append(botId, [textEntry('line 1'), textEntry('line 2')]);
  const reading = store.read(botId, { limit: 1000, after: 0 });
  // Into the chunk that is being read.
  for (let line = 3; line <= 40; line++) await store.append(botId, [textEntry(`line ${line}`)]);
  const seqs = (await reading).records.map((record) => record.seq);
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
  );
});
