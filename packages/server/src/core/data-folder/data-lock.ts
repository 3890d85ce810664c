// File locks: one api and one agent per data folder (a whole server is both), and one gateway.
import { join } from 'node:path';
import { type FileLock, lockFile } from '../lib/file-lock.ts';

/** What a `Server` is: everything in one process, the api or the agent. */
export type ServerRole = 'single' | 'api' | 'agent';
/** What a process with a lock is. */
export type ProcessRole = ServerRole | 'gateway';

/** Lock files in the data folder. */
export const lockNames = { agent: 'lock', api: 'lock-api', gateway: 'lock-gateway' } as const;
const names: Record<ProcessRole, string[]> = {
  single: [lockNames.agent, lockNames.api],
  agent: [lockNames.agent],
  api: [lockNames.api],
  gateway: [lockNames.gateway],
};

/** Takes the locks of the role; throws when another process holds one of them. */
export function lockData(dataDirectory: string, role: ProcessRole): FileLock {
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
