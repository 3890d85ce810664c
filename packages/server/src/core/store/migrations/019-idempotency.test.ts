// Keys are unique per account and go with it; existing accounts stay unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as idempotency from './019-idempotency.ts';
import { emptyDatabase } from './empty-database.ts';

test('two accounts may use one key; a deleted account takes its keys along', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  sqlite.exec(
    `insert into plans (id, name, memory_mb, bots, disk_mb, apps, upload_mb) values ('p', 'p', 1, 1, 1, 1, 1)`,
  );
  for (const id of ['a', 'b'])
    sqlite.exec(
      `insert into users (id, email, password_hash, role, plan_id, created_at) values ('${id}', '${id}', '', 'user', 'p', 1)`,
    );
  await idempotency.up(db);
  const insert = (user: string) =>
    sqlite.exec(
      `insert into idempotency_keys (user_id, key_hash, fingerprint, created_at) values ('${user}', 'k', 'f', 1)`,
    );
  insert('a');
  insert('b');
  assert.throws(() => insert('a'), /UNIQUE/);
  sqlite.exec(`delete from users where id = 'a'`);
  assert.deepEqual(
    sqlite
      .prepare('select user_id from idempotency_keys')
      .all()
      .map((row) => row.user_id),
    ['b'],
  );
});
