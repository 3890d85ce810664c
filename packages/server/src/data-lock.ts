// One process per half of a Botel and data folder; a whole server takes both halves.
import { join } from 'node:path';
import { type FileLock, lockFile } from './lib/file-lock.ts';

/** What a process is: the whole server, or one half of it. */
export type Role = 'single' | 'api' | 'agent';

/** Files of the data folder, one for each half. */
export const lockNames = { agent: 'lock', api: 'lock-api' } as const;
const names: Record<Role, string[]> = {
  single: [lockNames.agent, lockNames.api],
  agent: [lockNames.agent],
  api: [lockNames.api],
};

/** Takes the locks of the role, or throws when another process has one of them. */
export function lockData(dataDirectory: string, role: Role): FileLock {
  const locks: FileLock[] = [];
  const release = () => {
    for (const lock of locks.splice(0)) lock.release();
  };
  for (const name of names[role]) {
    const lock = lockFile(join(dataDirectory, name));
    if (lock) {
      locks.push(lock);
      continue;
    }
    release();
    throw new Error(`Another Botel is running with the data folder ${dataDirectory}`);
  }
  return { release };
}
