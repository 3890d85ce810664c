// An account being deleted goes with the last of its bots, and no other account does. Existing rows
// stay unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as admins from './018-admins.ts';
import { emptyDatabase } from './empty-database.ts';

test('who leaves goes with the last bot; who stays does not', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  // From a later migration than the first.
  sqlite.exec('alter table runs add column ended_at bigint');
  sqlite.exec(
    `insert into plans (id, name, memory_mb, bots, disk_mb, apps, upload_mb) values ('p', 'p', 1, 1, 1, 1, 1)`,
  );
  for (const id of ['leaves', 'stays'])
    sqlite.exec(
      `insert into users (id, email, password_hash, role, plan_id, created_at) values ('${id}', '${id}', '', 'user', 'p', 1)`,
    );
  const bots = { a: 'leaves', b: 'leaves', c: 'stays' };
  for (const [at, [id, owner]] of Object.entries(bots).entries())
    sqlite.exec(`insert into bots (id, owner_id, uid, name, language, memory_mb, startup_command, environment, environment_names,
      runtime_version, restart_mode, backoff_max_seconds, stop_signal, stop_grace_seconds, desired, generation, created_at, updated_at)
      values ('${id}', '${owner}', ${at}, 'n', 'go', 1, 'c', '', '[]', '1', 'never', 1, 'SIGTERM', 1, 'deleted', 1, 1, 1)`);
  sqlite.exec(`insert into apps (id, owner_id, name, created_at) values ('app', 'leaves', 'n', 1)`);
  await admins.up(db);
  assert.equal(sqlite.prepare('select suspension from bots where id = ?').get('a')?.suspension, null);
  sqlite.exec(`update users set leaving = 1 where id = 'leaves'`);
  const users = () =>
    sqlite
      .prepare('select id from users order by id')
      .all()
      .map(({ id }) => id);
  sqlite.exec(`delete from bots where id in ('a', 'c')`);
  assert.deepEqual(users(), ['leaves', 'stays']);
  sqlite.exec(`delete from bots where id = 'b'`);
  assert.deepEqual(users(), ['stays']);
  assert.equal(sqlite.prepare('select count(*) as n from apps').get()?.n, 0);
});
