// Copies of the database from before migrations: the way back to an older Botel.
import { chmodSync, closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Copies the open database at `path` beside it, for this user only. */
export function copyDatabase(sqlite: DatabaseSync, path: string): void {
  const copy = `${path}.before-migration-${Date.now()}`;
  // SQLite would create it with the mode of any new file.
  closeSync(openSync(copy, 'wx', 0o600));
  sqlite.prepare('vacuum into ?').run(copy);
}

/** Removes copies of the database at `path`, except the newest for 30 days; `now` in ms. */
export function removeOldCopies(path: string, now: number): void {
  const prefix = `${basename(path)}.before-migration-`;
  const times = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
  const newest = Math.max(...times);
  for (const time of times) {
    const copy = join(dirname(path), `${prefix}${time}`);
    if (time < newest || now - time > keptMs) rmSync(copy);
    // Copies of earlier versions were readable by everyone.
    else chmodSync(copy, 0o600);
  }
}
