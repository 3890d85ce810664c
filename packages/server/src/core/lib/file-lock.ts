// File lock released by the kernel when the process dies. Must not say what it is good for.
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A held lock. */
export interface FileLock {
  release(): void;
}

/** Takes the lock of this file (made when missing); null when another process has it. Throws where the file can't be opened. */
export function lockFile(path: string): FileLock | null {
  // A file lock that outlives no process is what SQLite has anyway; Node itself has none.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec(
      // No journal beside it: the folder may be one in which this process makes no files.
      'pragma locking_mode = EXCLUSIVE; pragma journal_mode = MEMORY; begin exclusive; create table if not exists held (at integer); commit;',
    );
  } catch {
    database.close();
    return null;
  }
  return { release: () => database.close() };
}
