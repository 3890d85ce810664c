// Gives files to a bot's user. Must act on open files only, never on paths.
import type { FileHandle } from 'node:fs/promises';

/** False when this process can't give files away (it is not root): they then stay with its own user. */
export const canGiveAway = process.geteuid?.() === 0;

/** Makes `uid` owner and group of an open file or folder and sets its permission bits (nothing above 0777). */
export async function giveTo(handle: FileHandle, uid: number, mode: number): Promise<void> {
  if (canGiveAway) await handle.chown(uid, uid);
  await handle.chmod(mode & 0o777);
}
