// The id of this install, which labels its containers. Stored in the data folder and in the
// database, so that no empty database silently replaces a lost one.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../lib/ids.ts';
import type { SettingStore } from '../store/settings.ts';

const fileName = 'install-id';

/** Throws when a used folder has lost its database. Call before opening the database. */
export function refuseLostDatabase(dataDirectory: string): void {
  if (!existsSync(join(dataDirectory, fileName))) return;
  const size = statSync(join(dataDirectory, 'botel.sqlite'), { throwIfNoEntry: false })?.size;
  // SQLite would turn an empty file into a new database.
  if (!size) throw new Error(lostDatabase(dataDirectory, size === 0 ? 'is empty' : 'is missing'));
}

/** Creates the id at the first start. Rejects when folder and database differ. */
export async function installIdOf(dataDirectory: string, settings: SettingStore, ids: Ids): Promise<string> {
  const path = join(dataDirectory, fileName);
  const onDisk = existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
  const stored = await settings.get('install_id');
  // With an empty database, all containers of this install would be removed as orphans.
  if (onDisk && !stored) throw new Error(lostDatabase(dataDirectory, 'is empty'));
  if (onDisk && onDisk !== stored) {
    throw new Error(`The data folder ${dataDirectory} and its database belong to different installs`);
  }
  const id = stored ?? ids.uuid();
  if (!stored) await settings.set('install_id', id);
  if (!onDisk) await writeDurably(path, `${id}\n`);
  return id;
}

function lostDatabase(dataDirectory: string, fault: string): string {
  return `The database botel.sqlite ${fault} in ${dataDirectory}, which was in use. Restore it from a backup; or remove botel.sqlite and the file "${fileName}" there to begin anew (bots that still run will not be managed any more).`;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}
