// File lock released by the kernel when the process dies.
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

/** Null when another process holds the lock. Creates the file; throws when it can't be opened. */
export function lockFile(path: string): FileLock | null {
  // Uses SQLite's file lock, which the kernel drops with the process; Node itself has none.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec(
      // No journal file: this process may be unable to create files in the folder.
      'pragma locking_mode = EXCLUSIVE; pragma journal_mode = MEMORY; begin exclusive; create table if not exists held (at integer); commit;',
    );
  } catch {
    database.close();
    return null;
  }
  return { release: () => database.close() };
}
