// Deletes trees of any depth, size and mode with a handful of open files: moves subfolders up into
// the folder being emptied instead of descending into them. Only for folders that bots cannot
// reach.
import { randomUUID } from 'node:crypto';
import { chmod, type FileHandle, rename, rmdir, unlink } from 'node:fs/promises';
import { errnoOf, unlessGone } from './file-errors.ts';
import { canGiveAway } from './ownership.ts';
import { entriesIn, entryPath, type Name, openFolder } from './walk.ts';

// A process whose working folder is deleted can go on creating files there.
const refillsMax = 1000;

/** Deletes everything in `folder`; resolves to the number of entries other than folders. */
export async function emptyFolder(folder: FileHandle): Promise<number> {
  let deleted = 0;
  let refills = 0;
  for (let found = true; found; ) {
    found = false;
    for await (const { name, isFolder } of entriesIn(folder)) {
      found = true;
      if (isFolder) {
        deleted += await lift(folder, name);
        if (!(await removeEmpty(folder, name)) && ++refills > refillsMax) {
          throw new Error('A folder is filled faster than it can be deleted');
        }
      } else if (await removeFile(folder, name)) deleted++;
    }
  }
  return deleted;
}

/** Deletes the files in the folder `name` and moves its folders up into `folder`. */
async function lift(folder: FileHandle, name: Name): Promise<number> {
  let deleted = 0;
  await allow(folder, name);
  await using inner = await openFolder(folder, [name]);
  for await (const { name: child, isFolder } of entriesIn(inner)) {
    if (isFolder) {
      await allow(inner, child);
      await rename(entryPath(inner, child), entryPath(folder, `folder-${randomUUID()}`));
    } else if (await removeFile(inner, child)) deleted++;
  }
  return deleted;
}

/** Modes do not bind root; an ordinary user needs them to enter and move a folder. */
async function allow(folder: FileHandle, name: Name): Promise<void> {
  if (!canGiveAway) await chmod(entryPath(folder, name), 0o700);
}

async function removeFile(folder: FileHandle, name: Name): Promise<boolean> {
  return (await unlink(entryPath(folder, name)).catch(unlessGone)) !== null;
}

/** False when the folder was filled again meanwhile. */
async function removeEmpty(folder: FileHandle, name: Name): Promise<boolean> {
  try {
    await rmdir(entryPath(folder, name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOTEMPTY') return false;
    throw error;
  }
}
