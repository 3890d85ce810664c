// One process per half of a Botel and data folder; a whole server takes both halves. Gateways of
// their own exclude each other only.
import { join } from 'node:path';
import { type FileLock, lockFile } from '../lib/file-lock.ts';

/** What a process is: the whole server, or one half of it. */
export type Role = 'single' | 'api' | 'agent';
/** Processes that take locks: the gateway alone is no half of a server. */
export type LockedRole = Role | 'gateway';

/** Files of the data folder. */
export const lockNames = { agent: 'lock', api: 'lock-api', gateway: 'lock-gateway' } as const;
const names: Record<LockedRole, string[]> = {
  single: [lockNames.agent, lockNames.api],
  agent: [lockNames.agent],
  api: [lockNames.api],
  gateway: [lockNames.gateway],
};

/** Takes the locks of the role, or throws when another process has one of them. */
export function lockData(dataDirectory: string, role: LockedRole): FileLock {
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
