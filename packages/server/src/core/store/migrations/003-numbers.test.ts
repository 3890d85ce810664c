// Runs from before the migration are kept, with the time and reason of their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as init from './001-init.ts';
import * as numbers from './003-numbers.ts';
import { emptyDatabase } from './empty-database.ts';

test('runs of before get their end and its reason', async (t) => {
  const { sqlite, db } = emptyDatabase(t);
  await init.up(db);
  sqlite.exec('pragma foreign_keys = off');
  const insert = sqlite.prepare(
    'insert into runs (bot_id, run, generation, automatic, began_at, exit) values (?,?,?,?,?,?)',
  );
  insert.run('b', 1, 1, 0, 5, JSON.stringify({ at: 1_800_000_000_123, reason: 'crashed' }));
  insert.run('b', 2, 1, 1, 6, null);
  await numbers.up(db);
  const rows = sqlite.prepare('select run, kind, ended_at, end_reason from runs order by run').all();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { run: 1, kind: 'bot', ended_at: 1_800_000_000_123, end_reason: 'crashed' },
      { run: 2, kind: 'bot', ended_at: null, end_reason: null },
    ],
  );
});
