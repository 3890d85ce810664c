// One server per data folder: holds a lock that the system lets go when the process ends, however it ends.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A held lock. */
export interface DataLock {
  release(): void;
}

/** Takes the folder's lock, or throws when another process has it. */
export function lockData(dataDirectory: string): DataLock {
  // A file lock that outlives no process is what SQLite has anyway; Node itself has none.
  const path = join(dataDirectory, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec(
      'pragma locking_mode = EXCLUSIVE; begin exclusive; create table if not exists held (at integer); commit;',
    );
  } catch {
    database.close();
    throw new Error(`Another Botel is running with the data folder ${dataDirectory}`);
  }
  return { release: () => database.close() };
}
