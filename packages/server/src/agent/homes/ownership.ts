// Gives files to a bot's user, by open file and never by path.
import { fchmodSync, fchownSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** False when this process is not root: files then stay with its own user. */
export const canGiveAway = process.geteuid?.() === 0;

/**
 * Makes `uid` owner and group of an open file or folder and sets its permission bits (nothing above
 * 0777). Synchronous: it only changes memory, and waiting for a thread would take ten times as
 * long.
 */
export function chownFile({ fd }: FileHandle, uid: number, mode: number): void {
  if (canGiveAway) fchownSync(fd, uid, uid);
  fchmodSync(fd, mode & 0o777);
}
