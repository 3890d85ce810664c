// The user that runs Caddy beside a Botel that is root, and the folder for its certificates.
import { chownSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closedFolders } from './service-units.ts';

export interface CaddyUser {
  uid: number;
  gid: number;
}

/** The user of Caddy's package; null without one, without root, or when it can't access `paths`. */
export function caddyUser(paths: readonly string[], passwd = '/etc/passwd'): CaddyUser | null {
  if (process.getuid?.() !== 0) return null;
  const [, uid, gid] = /^caddy:[^:]*:(\d+):(\d+):/m.exec(readFileSync(passwd, 'utf8')) ?? [];
  if (uid === undefined || gid === undefined) return null;
  if (paths.some((path) => closedFolders(path).length > 0)) return null;
  return { uid: Number(uid), gid: Number(gid) };
}

/** Creates the folder when missing, and makes the user own it and its contents. */
export function prepareFolder(folder: string, user: CaddyUser | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user === null || statSync(folder).uid === user.uid) return;
  for (const path of readdirSync(folder, { recursive: true }))
    lchownSync(join(folder, String(path)), user.uid, user.gid);
  chownSync(folder, user.uid, user.gid);
}
