// Existing names are found by index; a bot serves one app, and a hostname has one verified claim.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as apps from './012-apps.ts';
import { emptyDatabase } from './empty-database.ts';

test('apps of before stay; one per bot, one verified claim per hostname', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  sqlite.exec('pragma foreign_keys = off');
  const insertApp = (id: string, bot: string | null, freedAt: number | null) =>
    sqlite
      .prepare('insert into apps (id, owner_id, bot_id, name, created_at, freed_at) values (?, ?, ?, ?, 1, ?)')
      .run(id, 'o', bot, `name-${id}`, freedAt);
  insertApp('a', 'b1', null);
  insertApp('freed', null, 5);
  await apps.up(db);
  assert.deepEqual(
    sqlite
      .prepare('select id, name, health_path from apps order by id')
      .all()
      .map((row) => ({ ...row })),
    [
      { id: 'a', name: 'name-a', health_path: null },
      { id: 'freed', name: 'name-freed', health_path: null },
    ],
  );
  assert.throws(() => insertApp('b', 'b1', null), /UNIQUE/);
  insertApp('c', null, 6);

  const claim = (id: string, app: string, status: string) =>
    sqlite
      .prepare('insert into domains (id, app_id, hostname, token, status, created_at) values (?, ?, ?, ?, ?, 1)')
      .run(id, app, 'www.example.com', 't', status);
  claim('1', 'a', 'pending');
  claim('2', 'x', 'verified');
  claim('3', 'y', 'failed');
  assert.throws(() => claim('4', 'z', 'verified'), /UNIQUE/);
  assert.throws(() => claim('5', 'a', 'pending'), /UNIQUE/);
});
