// The only way into folders that bots can write to: part by part from an open folder, never through
// a link. Whatever a bot swaps meanwhile, the result lies below the starting folder.
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir } from 'node:fs/promises';
import { fail } from '../../core/domain/errors.ts';
import { errnoOf, unlessGone, unlessThere } from './file-errors.ts';
import { chownFile } from './ownership.ts';

/** One part of a path; a Buffer where the name may not be UTF-8. */
export type Name = string | Buffer;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
// O_NONBLOCK: opening a FIFO would otherwise block a thread of the process for ever.
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const batchEntries = 512;

/** For calls that don't follow a final link (lstat, rename, unlink, mkdir, link …). */
export function entryPath<N extends Name>(folder: FileHandle, name: N): N {
  const prefix = `/proc/self/fd/${folder.fd}/`;
  return (typeof name === 'string' ? prefix + name : Buffer.concat([Buffer.from(prefix), name])) as N;
}

/** Opens the folder at a path of Botel's own; the caller closes it. */
export function openRoot(path: string): Promise<FileHandle> {
  return open(path, folderFlags);
}

/**
 * Opens the folder at `parts` below `root`; the caller closes it. Missing folders are created for
 * the user `createFor` when given. Rejects with the system's error (ENOENT, ENOTDIR or ELOOP for a
 * link).
 */
export async function openFolder(
  root: FileHandle,
  parts: readonly Name[],
  options: { createFor?: number } = {},
): Promise<FileHandle> {
  let folder = await open(entryPath(root, '.'), folderFlags);
  for (const part of parts) {
    try {
      const next = await openChild(folder, part, options.createFor);
      await folder.close();
      folder = next;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

async function openChild(folder: FileHandle, name: Name, createFor: number | undefined): Promise<FileHandle> {
  try {
    return await open(entryPath(folder, name), folderFlags);
  } catch (error) {
    if (createFor === undefined || errnoOf(error) !== 'ENOENT') throw error;
    return makeFolder(folder, name, { uid: createFor, mode: 0o755 });
  }
}

/** Creates or finds a folder and opens it; the caller closes it. `owner` is for a new one. */
export async function makeFolder(
  folder: FileHandle,
  name: Name,
  owner: { uid: number; mode: number },
): Promise<FileHandle> {
  const isNew = await mkdir(entryPath(folder, name), 0o700).then(() => true, unlessThere);
  const made = await open(entryPath(folder, name), folderFlags);
  try {
    if (isNew) chownFile(made, owner.uid, owner.mode);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}

/** Opens a regular file, never waiting; the caller closes it. Else: `path is not valid`. */
export async function openFile(folder: FileHandle, name: Name): Promise<{ handle: FileHandle; stats: BigIntStats }> {
  const handle = await open(entryPath(folder, name), fileFlags);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw fail.invalidInput('path', 'is not valid');
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Creates a file, closed to others; the caller closes it. EEXIST when the name is taken. */
export function createFile(folder: FileHandle, name: Name): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  return open(entryPath(folder, name), flags, 0o600);
}

/** The stats of an entry, without following links; null when there is none. */
export function entryStats(folder: FileHandle, name: Name): Promise<BigIntStats | null> {
  return lstat(entryPath(folder, name), { bigint: true }).catch(unlessGone);
}

/** Names in an open folder, one by one, in no order and without holding them all. */
export async function* namesIn(folder: FileHandle): AsyncGenerator<Buffer> {
  for await (const names of nameBatchesIn(folder)) yield* names;
}

/** The same in batches: a turn of the event loop per name would cost more than the name. */
export async function* nameBatchesIn(folder: FileHandle): AsyncGenerator<Buffer[]> {
  for await (const batch of batchesIn(folder)) yield batch.map(({ name }) => name);
}

/** `isFolder` may be out of date by the time it is used. */
export async function* entriesIn(folder: FileHandle): AsyncGenerator<{ name: Buffer; isFolder: boolean }> {
  for await (const batch of batchesIn(folder))
    for (const entry of batch)
      yield { name: entry.name, isFolder: isKnown(entry) ? entry.isDirectory() : await isFolder(folder, entry.name) };
}

/** Each batch is read by a thread of the pool at its first entry; the others are in memory then. */
async function* batchesIn(folder: FileHandle): AsyncGenerator<Dirent<Buffer>[]> {
  // The declared types only support text names.
  const options = { encoding: 'buffer', bufferSize: batchEntries } as unknown as { bufferSize: number };
  await using entries = await opendir(entryPath(folder, '.'), options);
  for (;;) {
    const batch: Dirent<Buffer>[] = [];
    let entry = await entries.read();
    while (entry) {
      batch.push(entry as unknown as Dirent<Buffer>);
      entry = batch.length < batchEntries ? entries.readSync() : null;
    }
    if (batch.length > 0) yield batch;
    if (batch.length < batchEntries) return;
  }
}

/** Some file systems do not report the kind of an entry in a listing. */
function isKnown(entry: Dirent<Buffer>): boolean {
  return entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
}

async function isFolder(folder: FileHandle, name: Name): Promise<boolean> {
  return (await entryStats(folder, name))?.isDirectory() ?? false;
}
