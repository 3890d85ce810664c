// Bots from before the migration have no packages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as packages from './007-packages.ts';
import { emptyDatabase } from './empty-database.ts';

test('bots of before have an empty list', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  sqlite.exec('pragma foreign_keys = off');
  sqlite.exec(`insert into bots (id, owner_id, uid, name, language, memory_mb, startup_command, environment,
    environment_names, runtime_version, restart_mode, backoff_max_seconds, stop_signal, stop_grace_seconds, desired,
    generation, wish_kill, created_at, updated_at)
    values ('b', 'o', 1, 'n', 'nodejs', 128, 'x', '', '[]', '24', 'never', 1, 'SIGTERM', 1, 'stopped', 0, 0, 1, 1)`);
  await packages.up(db);
  assert.deepEqual({ ...sqlite.prepare('select id, packages from bots').get() }, { id: 'b', packages: '[]' });
});
