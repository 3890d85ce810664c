// What lies outside of an attacked home: files and folders whose content, owner, times and very
// existence must not change, and whose content and names must come out nowhere.
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Canaries {
  folder: string;
  /** In each canary's content and in the names of those that a listing could show. */
  marker: string;
}

export function placeCanaries(folder: string): Canaries {
  const marker = `canary-${randomBytes(8).toString('hex')}`;
  mkdirSync(join(folder, 'folder', 'sub'), { recursive: true, mode: 0o755 });
  for (const name of ['secret', `folder/${marker}`, 'folder/f', 'folder/sub/f', 'folder/sub/new'])
    writeFileSync(join(folder, name), `${marker}\n`.repeat(100), { mode: 0o644 });
  writeFileSync(join(folder, 'closed'), marker, { mode: 0o600 });
  return { folder, marker };
}

/** Everything about a tree but times of access, one line per entry. */
export function fingerprint(root: string): string[] {
  const lines: string[] = [];
  const look = (path: string): void => {
    const stats = lstatSync(path, { bigint: true });
    const { ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = stats;
    const hash = stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
    lines.push([path, ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs, hash].join(' '));
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) look(join(path, name));
  };
  look(root);
  return lines;
}

/** Paths below `root` that are not the user's, or hold the marker; links are not followed. */
export function leaksIn(root: string, uid: number, marker: string): string[] {
  const leaks: string[] = [];
  const look = (path: string, name: string): void => {
    const stats = lstatSync(path);
    if (stats.uid !== uid) leaks.push(`${path} is of user ${stats.uid}`);
    if (name.includes(marker)) leaks.push(`${path} bears a name from outside`);
    if (stats.isFile() && readFileSync(path).includes(marker)) leaks.push(`${path} holds what is outside`);
    if (stats.isDirectory()) for (const child of readdirSync(path)) look(join(path, child), child);
  };
  look(root, '');
  return leaks;
}
