// Bots with a container hold their memory from the first moment on; others hold nothing yet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as reservations from './020-reservations.ts';
import { emptyDatabase } from './empty-database.ts';

test('runs that have a container, or may have one, get the memory of their bot', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  sqlite.exec(
    `insert into plans (id, name, memory_mb, bots, disk_mb, apps, upload_mb) values ('p', 'p', 1, 1, 1, 1, 1);
     insert into users (id, email, password_hash, role, plan_id, created_at) values ('u', 'u', '', 'user', 'p', 1)`,
  );
  const bots = { a: ['running', 'c'], b: ['creating', null], c: ['ended', 'c'], d: ['ended', null] } as const;
  for (const [at, [id, [state, container]]] of Object.entries(bots).entries()) {
    sqlite.exec(`insert into bots (id, owner_id, uid, name, language, memory_mb, startup_command, environment, environment_names,
      runtime_version, restart_mode, backoff_max_seconds, stop_signal, stop_grace_seconds, desired, generation, created_at, updated_at)
      values ('${id}', 'u', ${at}, 'n', 'go', ${at + 1}, 'c', '', '[]', '1', 'never', 1, 'SIGTERM', 1, 'stopped', 1, 1, 1)`);
    sqlite
      .prepare(
        `insert into observations (bot_id, run, run_state, run_generation, stop_killed, failures, failures_generation,
           restart_count, container_id) values (?, 1, ?, 1, 0, 0, 0, 0, ?)`,
      )
      .run(id, state, container);
  }
  await reservations.up(db);
  const held = sqlite.prepare('select run_memory_mb from observations order by bot_id').all();
  assert.deepEqual(
    held.map((row) => row.run_memory_mb),
    [1, 2, 3, null],
  );
});
