// One server per data folder.
import { join } from 'node:path';
import { type FileLock, lockFile } from './lib/file-lock.ts';

/** Takes the folder's lock, or throws when another process has it. */
export function lockData(dataDirectory: string): FileLock {
  const lock = lockFile(join(dataDirectory, 'lock'));
  if (!lock) throw new Error(`Another Botel is running with the data folder ${dataDirectory}`);
  return lock;
}
