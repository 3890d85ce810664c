// An empty database for tests of migrations.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Kysely } from 'kysely';
import { NodeSqliteDialect, openSqlite } from '../sqlite-dialect.ts';

/** One file with two connections, removed with the test. */
export function emptyDatabase(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-migration-'));
  const sqlite = openSqlite(join(directory, 'botel.sqlite'), 'OFF');
  const db = new Kysely<unknown>({ dialect: new NodeSqliteDialect(sqlite) });
  t.after(async () => {
    await db.destroy();
    rmSync(directory, { recursive: true });
  });
  return { sqlite, db };
}
