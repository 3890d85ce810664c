// Gives the api's group access to the agent's database, key, id and lock, and to nothing else, when
// the two are processes of different users.
import { chmodSync, chownSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { lockNames } from './data-lock.ts';

/** Id of a group by name or number. Throws when there is none. */
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
 * Does nothing without BOTEL_API_GROUP. Call before the database is opened, when it is open, and
 * after it was closed: the last process to close it deletes its companion files, and the api can't
 * create files in this folder.
 */
export function shareData({ apiGroup, dataDirectory, secretKeyFile }: Config): void {
  if (apiGroup === '') return;
  const group = groupId(apiGroup);
  const database = join(dataDirectory, 'botel.sqlite');
  if (!existsSync(database)) return;
  // Files that root creates beside the database later get the database's owner, group and mode.
  const locks = [lockNames.api, lockNames.gateway].map((name) => join(dataDirectory, name));
  for (const path of [database, `${database}-wal`, `${database}-shm`, ...locks]) give(path, group, 0o660);
  for (const path of [secretKeyFile, join(dataDirectory, 'install-id')]) if (existsSync(path)) give(path, group, 0o640);
}

function give(path: string, group: number, mode: number): void {
  // Only missing files: closing a file drops all locks of this process on it, also SQLite's.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, mode);
}
