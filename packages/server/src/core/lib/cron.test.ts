// Cron expressions: which are valid, and when they fire around clock changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCron, lastTime, nextTime } from './cron.ts';

/** The next `count` times after `from`, as ISO without seconds. */
function times(cron: string, timezone: string, from: string, count: number): string[] {
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < count; ) {
    const next = nextTime({ cron, timezone }, at);
    if (next === null) break;
    assert.equal(lastTime({ cron, timezone }, next), next);
    assert.ok(next > at);
    found.push(new Date(next).toISOString().slice(0, 16));
    at = next;
  }
  return found;
}

test('five fields that will come are an expression, and nothing else is', () => {
  for (const cron of [
    '* * * * *',
    '0 3 * * *',
    '*/15 8-18 1,15 * MON-FRI',
    '0 0 29 2 *',
    '0 12 * JAN sun',
    '59 23 L * *',
  ])
    assert.equal(isCron(cron), true, cron);
  const faults = ['', 'now', '@daily', '* * * *', '* * * * * *', '0 0 1 1 * 2030', '2030-01-01T00:00:00'];
  const values = [
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '1- * * * *',
    'a b c d e',
  ];
  for (const cron of [...faults, ...values, '0 0 31 2 *', '5-1 * * * *']) assert.equal(isCron(cron), false, cron);
});

test('the next time is later, on the minute; the last one may be now', () => {
  const every = { cron: '* * * * *', timezone: 'UTC' };
  const minute = Date.UTC(2026, 0, 1, 0, 5);
  for (const [at, last, next] of [
    [minute - 1, minute - 60_000, minute],
    [minute, minute, minute + 60_000],
    [minute + 1, minute, minute + 60_000],
  ] as const)
    assert.deepEqual([lastTime(every, at), nextTime(every, at)], [last, next]);
});

test('times are those of the time zone', () => {
  assert.deepEqual(times('0 3 * * *', 'Asia/Kolkata', '2026-01-01T00:00Z', 1), ['2026-01-01T21:30']);
  assert.deepEqual(times('0 3 * * 1', 'America/New_York', '2026-07-01T00:00Z', 1), ['2026-07-06T07:00']);
  assert.deepEqual(times('0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', 1), ['2028-02-29T00:00']);
});

test('where an hour is left out, a time in it comes right after it, once', () => {
  const before = '2026-03-28T12:00Z';
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', before, 2), ['2026-03-29T01:00', '2026-03-30T00:30']);
  const quarters = times('0,30 1-3 * * *', 'Europe/Berlin', before, 5);
  assert.deepEqual(quarters.slice(0, 4), [
    '2026-03-29T00:00',
    '2026-03-29T00:30',
    '2026-03-29T01:00',
    '2026-03-29T01:30',
  ]);
});

test('where an hour comes twice, a fixed time comes once and every hour comes twice', () => {
  const before = '2026-10-24T23:30Z';
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', before, 2), ['2026-10-25T00:30', '2026-10-26T01:30']);
  const hours = ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00'];
  assert.deepEqual(times('0 * * * *', 'Europe/Berlin', before, 4), hours);
});
