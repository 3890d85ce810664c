// Everything that a server keeps, as values that can be compared: all rows of its database, all
// files of bots and backups.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Fixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';

/** Columns that change by themselves, or by being asked. */
const moving = ['last_used_at', 'expires_at', 'observed_at', 'looked_at', 'value_at'];
const folders = ['homes', 'backups', 'passwd', 'staging', 'restoring'];

/** Tables and files by name; waits for nothing. */
async function wholeState(fixture: Fixture): Promise<Record<string, unknown>> {
  return { ...(await rowsOf(fixture)), ...filesOf(fixture.directory) };
}

/** Runs `work`; afterwards all rows and files are what they were. */
export async function assertUnchanged(fixture: Fixture, work: () => Promise<void>): Promise<void> {
  const before = await wholeState(fixture);
  await work();
  await fixture.server.settle();
  assert.deepEqual(await wholeState(fixture), before);
}

function rowsOf(fixture: Fixture): Promise<Record<string, unknown>> {
  return inDatabase(fixture, async (db) => {
    const names = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
    const tables: Record<string, unknown> = {};
    for (const { name } of names.rows) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
      for (const row of rows) for (const column of moving) delete row[column];
      tables[name] = rows.map((row) => JSON.stringify(row, asText)).toSorted();
    }
    return tables;
  });
}

function filesOf(directory: string): Record<string, unknown> {
  const files: Record<string, unknown> = {};
  for (const folder of folders)
    for (const path of globSync(`${folder}/**`, { cwd: directory })) {
      const full = join(directory, path);
      const { mode, uid, nlink, isFile, isSymbolicLink } = detailsOf(full);
      const content = isSymbolicLink ? readlinkSync(full) : isFile ? hashOf(full) : nlink;
      files[path] = `${mode.toString(8)} ${uid} ${content}`;
    }
  return files;
}

function detailsOf(path: string) {
  const stat = lstatSync(path);
  return {
    mode: stat.mode,
    uid: stat.uid,
    nlink: stat.nlink,
    isFile: stat.isFile(),
    isSymbolicLink: stat.isSymbolicLink(),
  };
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

const asText = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : typeof value === 'bigint' ? `${value}` : value;
