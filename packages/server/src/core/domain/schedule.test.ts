// When schedules are due or too late, and names of backups.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backupName, dueRun, plannedAt, type Schedule } from './schedule.ts';

const minute = 60_000;
const hour = 60 * minute;
const three = Date.UTC(2026, 0, 1, 3);

const nightly: Schedule = {
  id: 's',
  botId: 'b',
  name: 'nightly',
  cron: '0 3 * * *',
  timezone: 'UTC',
  action: 'backup',
  keep: 2,
  enabled: true,
  nextRunAt: three,
  askedAt: null,
  createdAt: 0,
  updatedAt: 0,
};

test('nothing is due before its time, nor without one', () => {
  assert.equal(dueRun(nightly, three - 1), null);
  assert.equal(dueRun({ ...nightly, enabled: false, nextRunAt: null }, three), null);
});

test('on time it runs, and is due next a day later', () => {
  assert.deepEqual(dueRun(nightly, three + 4000), { at: three, isLate: false, nextRunAt: three + 24 * hour });
});

test('a backup has an hour, anything else five minutes', () => {
  for (const [action, patience] of [
    ['backup', hour],
    ['start', 5 * minute],
    ['kill', 5 * minute],
  ] as const) {
    assert.equal(dueRun({ ...nightly, action }, three + patience - 1)?.isLate, false, action);
    assert.equal(dueRun({ ...nightly, action }, three + patience)?.isLate, true, action);
  }
});

test('of many missed runs there is one, for the last of them', () => {
  const hourly = { ...nightly, cron: '0 * * * *' };
  const now = three + 9 * hour + 20 * minute;
  assert.deepEqual(dueRun(hourly, now), { at: three + 9 * hour, isLate: false, nextRunAt: three + 10 * hour });
  const days = three + 5 * 24 * hour + 2 * hour;
  assert.deepEqual(dueRun(nightly, days), {
    at: three + 5 * 24 * hour,
    isLate: true,
    nextRunAt: three + 6 * 24 * hour,
  });
});

test('a run out of turn is due at once, and leaves the plan as it is', () => {
  const asked = { ...nightly, nextRunAt: three + hour, askedAt: three };
  assert.deepEqual(dueRun(asked, three), { at: three, isLate: false, nextRunAt: three + hour });
  const off = { ...asked, enabled: false, nextRunAt: null };
  assert.deepEqual(dueRun(off, three + 1), { at: three, isLate: false, nextRunAt: null });
  // Also requested at the time when it was due: one run covers both.
  const both = { ...nightly, askedAt: three + 2 };
  assert.deepEqual(dueRun(both, three + 3), { at: three + 2, isLate: false, nextRunAt: three + 24 * hour });
});

test('a plan begins now; a clock that was set back a little does not bring a run twice', () => {
  assert.equal(plannedAt(nightly, three - minute), three);
  assert.equal(plannedAt(nightly, three - 200, three), three + 24 * hour);
  assert.equal(plannedAt(nightly, three - 2 * hour, three), three, 'it was wrong before');
  assert.equal(plannedAt(nightly, three - minute, three + 365 * 24 * hour), three);
  assert.equal(plannedAt({ ...nightly, enabled: false }, three), null);
});

test('names of backups say the time of the zone, are taken once and fit', () => {
  const none = new Set<string>();
  assert.equal(backupName(nightly, three, none), 'nightly 2026-01-01 03:00');
  assert.equal(backupName({ ...nightly, timezone: 'Asia/Tokyo' }, three, none), 'nightly 2026-01-01 12:00');
  const taken = new Set(['nightly 2026-01-01 03:00', 'nightly 2026-01-01 03:00 (2)']);
  assert.equal(backupName(nightly, three, taken), 'nightly 2026-01-01 03:00 (3)');
  const long = backupName({ ...nightly, name: `${'😀'.repeat(46)} x` }, three, none);
  assert.equal(long, `${'😀'.repeat(46)} 2026-01-01 03:00`);
  const longest = { ...nightly, name: '😀'.repeat(64) };
  const names = new Set<string>();
  for (let count = 0; count < 12; count++) names.add(backupName(longest, three, names));
  assert.equal(names.size, 12);
  for (const name of names) assert.ok([...name].length <= 64, name);
});
