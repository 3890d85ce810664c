// Backups from before the migration are kept and belong to no schedule.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as backups from './002-backups.ts';
import * as schedules from './006-schedules.ts';
import { emptyDatabase } from './empty-database.ts';

test('backups of before are of no schedule; those of a schedule outlive it', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  await backups.up(db);
  sqlite.exec('pragma foreign_keys = off');
  sqlite.exec(
    `insert into backups (id, bot_id, name, trigger, state, created_at) values ('a', 'b', 'n', 'manual', 'stored', 1)`,
  );
  await schedules.up(db);
  sqlite.exec(`insert into schedules (id, bot_id, name, cron, timezone, action, enabled, created_at, updated_at)
    values ('s', 'b', 'n', '* * * * *', 'UTC', 'backup', 1, 1, 1)`);
  const read = () => ({ ...sqlite.prepare('select id, schedule_id from backups').get() });
  assert.deepEqual(read(), { id: 'a', schedule_id: null });
  sqlite.exec('pragma foreign_keys = on');
  sqlite.exec(`update backups set schedule_id = 's' where id = 'a'`);
  sqlite.exec(`delete from schedules`);
  assert.deepEqual(read(), { id: 'a', schedule_id: null });
});
