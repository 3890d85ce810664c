// Lets the group of the api use what the agent owns in the data folder: database, key, id, lock.
// Nothing else of the folder. Only where the two are processes of different users.
import { chmodSync, chownSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { lockNames } from './data-lock.ts';

/** The id of a group by name or number. Throws when there is none. */
export function groupId(group: string): number {
  if (/^\d{1,10}$/.test(group)) return Number(group);
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${group}:`));
  const id = line?.split(':')[2];
  if (!id) throw new Error(`BOTEL_API_GROUP: there is no group ${group} on this machine`);
  return Number(id);
}

/**
 * Gives the files to the group of BOTEL_API_GROUP; nothing without it. Call before the database is
 * opened, when it is open, and again when it was closed: the last one to close it takes its files
 * away, and the api may make none in this folder.
 */
export function shareData({ apiGroup, dataDirectory, secretKeyFile }: Config): void {
  if (apiGroup === '') return;
  const group = groupId(apiGroup);
  const database = join(dataDirectory, 'botel.sqlite');
  if (!existsSync(database)) return;
  // Files of the database that root makes later get owner, group and mode of the database itself.
  const locks = [lockNames.api, lockNames.gateway].map((name) => join(dataDirectory, name));
  for (const path of [database, `${database}-wal`, `${database}-shm`, ...locks]) give(path, group, 0o660);
  for (const path of [secretKeyFile, join(dataDirectory, 'install-id')]) if (existsSync(path)) give(path, group, 0o640);
}

function give(path: string, group: number, mode: number): void {
  // Only what is missing is opened: a process that closes a file loses all of its locks on it, also
  // those of SQLite.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, mode);
}
