// The user that Caddy runs as beside a Botel that is root, and the folder that it keeps
// certificates in.
import { chownSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closedFolders } from './service-units.ts';

export interface CaddyUser {
  uid: number;
  gid: number;
}

/** The user of Caddy's package; null where this process is not root, there is none, or it can't get
 * at one of `paths`. */
export function caddyUser(paths: readonly string[], passwd = '/etc/passwd'): CaddyUser | null {
  if (process.getuid?.() !== 0) return null;
  const [, uid, gid] = /^caddy:[^:]*:(\d+):(\d+):/m.exec(readFileSync(passwd, 'utf8')) ?? [];
  if (uid === undefined || gid === undefined) return null;
  if (paths.some((path) => closedFolders(path).length > 0)) return null;
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes the folder where it is missing, and gives it and all in it to the user. */
export function prepareFolder(folder: string, user: CaddyUser | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user === null || statSync(folder).uid === user.uid) return;
  for (const path of readdirSync(folder, { recursive: true }))
    lchownSync(join(folder, String(path)), user.uid, user.gid);
  chownSync(folder, user.uid, user.gid);
}
