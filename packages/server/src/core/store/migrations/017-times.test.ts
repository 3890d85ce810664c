// Older minutes keep their sums: their times count for the average, without a histogram. The
// columns match the bounds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeBounds } from '../../domain/response-times.ts';
import * as init from './001-init.ts';
import * as apps from './012-apps.ts';
import * as access from './016-access.ts';
import * as times from './017-times.ts';
import { emptyDatabase } from './empty-database.ts';

test('requests of before are timed, and not counted by length', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  for (const { up } of [init, apps, access]) await up(db);
  sqlite.exec('pragma foreign_keys = off');
  sqlite.exec(`insert into app_minutes (app_id, at, requests, status_2xx, status_3xx, status_4xx, status_5xx, ms_sum, ms_max,
    bytes_in, bytes_out, last_at) values ('a', 60000, 4, 4, 0, 0, 0, 100, 40, 1, 2, 61000)`);
  await times.up(db);
  const row = { ...sqlite.prepare('select * from app_minutes').get() };
  assert.deepEqual([row.requests, row.timed, row.refused, row.ms_sum], [4, 4, 0, 100]);
  const within = Object.entries(row).filter(([name]) => name.startsWith('within_'));
  assert.deepEqual(
    within.map(([name]) => name),
    [...timeBounds, 'more'].map((bound) => `within_${bound}`),
  );
  assert.ok(within.every(([, count]) => count === 0));
});
