// Requests are stored in batches: excess lines are counted, failed writes are retried, and lines of
// deleted apps are dropped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Access, AppMinute } from '../core/domain/app-access.ts';
import type { AccessLine, EntryOf } from '../core/domain/log-line.ts';
import { addTimes, timesOf } from '../core/domain/response-times.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { AccessLogWriter } from './access-log-writer.ts';

const access: Access = {
  at: 0,
  ms: 7,
  appId: 'a',
  botId: 'b',
  run: 3,
  method: 'GET',
  path: '/hook',
  status: 200,
  bytesIn: 1,
  bytesOut: 2,
  address: '127.0.0.1',
};

function ground() {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const stored: { appId: string; entries: EntryOf<AccessLine>[] }[] = [];
  const minutes: AppMinute[] = [];
  const reports: unknown[] = [];
  const state = { fails: false, transactions: 0 };
  const writer = new AccessLogWriter({
    clock,
    lines: { append: async (appId, entries) => void stored.push({ appId, entries: [...entries] }) },
    minutes: {
      add: async (more) => void minutes.push(...more),
      living: async (ids) => new Set(ids.filter((id) => id !== 'gone')),
    },
    database: {
      transaction: async (work) => {
        state.transactions++;
        if (state.fails) throw new Error('the disk is full');
        return work();
      },
    },
    report: (error) => reports.push(error),
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, stored, minutes, reports, state, writer, pass };
}

test('what comes within a moment is one transaction, by app; sums are by the minute', async () => {
  const { stored, minutes, state, writer, pass } = ground();
  writer.note(access);
  writer.note({ ...access, status: 503, ms: 30 });
  writer.note({ ...access, appId: 'c', status: 302 });
  assert.equal(state.transactions, 0);
  await pass(1_000);
  assert.equal(state.transactions, 1);
  assert.deepEqual(
    stored.map(({ appId, entries }) => [appId, entries.length]),
    [
      ['a', 2],
      ['c', 1],
    ],
  );
  assert.deepEqual(stored[0]?.entries[0], {
    ts: '2026-01-01T00:00:00.000Z',
    run: 3,
    method: 'GET',
    path: '/hook',
    status: 200,
    ms: 7,
    bytes_in: 1,
    bytes_out: 2,
    address: '127.0.0.1',
  });
  const at = Date.UTC(2026, 0, 1);
  assert.deepEqual(minutes[0], {
    appId: 'a',
    at,
    requests: 2,
    status2xx: 1,
    status3xx: 0,
    status4xx: 0,
    status5xx: 1,
    refused: 0,
    timed: 2,
    msSum: 37,
    msMax: 30,
    times: addTimes(timesOf(7), timesOf(30)),
    bytesIn: 2,
    bytesOut: 4,
    lastAt: at,
  });
  assert.equal(minutes.length, 2);
});

test('a transaction has at most 500 lines, and one app keeps no other waiting', async () => {
  const { stored, state, writer, pass } = ground();
  for (let count = 0; count < 1_200; count++) writer.note(access);
  writer.note({ ...access, appId: 'c' });
  await pass(200);
  await pass(200);
  assert.ok(stored.every(({ entries }) => entries.length <= 500));
  assert.equal(stored[1]?.appId, 'c');
  assert.equal(stored.flatMap(({ entries }) => entries).length, 1_201);
  assert.equal(state.transactions, 3);
});

test('lines beyond what memory may hold are a record of how many; sums have them all', async () => {
  const { stored, minutes, writer, pass } = ground();
  for (let count = 0; count < 2_500; count++) writer.note(access);
  await pass(1_000);
  const entries = stored.flatMap((each) => each.entries);
  assert.equal(entries.length, 2_001);
  const last = entries.at(-1);
  assert.deepEqual(last && 'dropped' in last && [last.count, last.reason], [500, 'flood']);
  assert.equal(minutes[0]?.requests, 2_500);
});

test('of requests over a limit a few are lines; the others are counted, and leave room for those that were served', async () => {
  const { stored, minutes, writer, pass } = ground();
  for (let count = 0; count < 5_000; count++) writer.note({ ...access, run: 0, status: 429, ms: 0 });
  writer.note(access);
  writer.note({ ...access, status: 429 });
  await pass(1_000);
  const entries = stored.flatMap((each) => each.entries);
  const lines = entries.filter((entry) => 'method' in entry);
  assert.deepEqual([lines.length, lines.filter(({ run }) => run === 3).length], [22, 2]);
  const last = entries.at(-1);
  assert.deepEqual(last && 'dropped' in last && [last.count, last.reason], [4_980, 'flood']);
  const [minute] = minutes;
  assert.deepEqual([minute?.requests, minute?.status4xx, minute?.refused, minute?.timed], [5_002, 5_001, 5_000, 2]);
  assert.deepEqual([minute?.msSum, minute?.times], [14, addTimes(timesOf(7), timesOf(7))]);
  writer.note({ ...access, run: 0, status: 429 });
  await pass(1_000);
  assert.ok('method' in (stored.at(-1)?.entries[0] ?? {}), 'a later batch has lines again');
});

test('all apps together are bounded too', async () => {
  const { stored, writer, pass } = ground();
  for (let app = 0; app < 10; app++)
    for (let count = 0; count < 1_500; count++) writer.note({ ...access, appId: `a${app}` });
  await pass(5_000);
  const entries = stored.flatMap((each) => each.entries);
  assert.equal(entries.filter((entry) => 'method' in entry).length, 10_000);
});

test('what could not be stored is stored later, in its order', async () => {
  const { stored, minutes, reports, state, writer, pass } = ground();
  state.fails = true;
  writer.note(access);
  await pass(1_000);
  assert.equal(reports.length, 1);
  writer.note({ ...access, path: '/second' });
  state.fails = false;
  await pass(5_000);
  const paths = stored.flatMap(({ entries }) => entries).map((entry) => 'path' in entry && entry.path);
  assert.deepEqual(paths, ['/hook', '/second']);
  assert.equal(
    minutes.reduce((sum, minute) => sum + minute.requests, 0),
    2,
  );
});

test('an app that was deleted meanwhile has no lines', async () => {
  const { stored, minutes, writer, pass } = ground();
  writer.note({ ...access, appId: 'gone' });
  await pass(1_000);
  assert.deepEqual([stored, minutes], [[], []]);
});

test('what waits at the end is stored', async () => {
  const { stored, writer } = ground();
  for (let count = 0; count < 700; count++) writer.note(access);
  await writer.close();
  assert.equal(stored.flatMap(({ entries }) => entries).length, 700);
});
