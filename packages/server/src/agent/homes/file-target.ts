// What a path in a home refers to, and whether it may be replaced.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fail } from '../../core/domain/errors.ts';
import type { ByteLimit } from './file-content.ts';
import { unlessGone, withFileErrors } from './file-errors.ts';
import { entryStats, openFolder } from './walk.ts';

/** `etag` is quoted and changes with every change of the content. */
export interface FileFacts {
  sizeBytes: number;
  modifiedAt: Date;
  etag: string;
}

/** `ifMatch`: only when it still has this etag; `onlyNew`: only when it does not exist. */
export interface FileWrite {
  path: string;
  body: Readable;
  limit: ByteLimit;
  ifMatch?: string | undefined;
  onlyNew?: boolean | undefined;
}

/** The stats of `parts`, null when it or a folder above it does not exist. */
export async function find(home: FileHandle, parts: string[]): Promise<BigIntStats | null> {
  await using folder = await openFolder(home, parts.slice(0, -1)).catch(unlessGone);
  return folder && (await entryStats(folder, lastOf(parts)));
}

/** Checks that a file may be written there; resolves to the file that it replaces. */
export async function checkTarget(home: FileHandle, parts: string[], write: FileWrite): Promise<BigIntStats | null> {
  const before = await find(home, parts);
  if (before && !before.isFile()) throw fail.invalidInput('path', 'is not valid');
  if (before && write.onlyNew) throw fail.pathTaken(write.path);
  if (write.ifMatch === undefined) return before;
  if (!before || (write.ifMatch !== '*' && write.ifMatch !== factsOf(before).etag)) throw fail.fileChanged();
  return before;
}

/** Rejects with 409 when the path `parts` is taken; `field` is the input field of its text. */
export async function checkFree(home: FileHandle, parts: string[], field: string): Promise<void> {
  if (await withFileErrors(() => find(home, parts), field)) throw fail.pathTaken(parts.join('/'));
}

/** The facts in a file's stats. */
export function factsOf(stats: BigIntStats): FileFacts {
  const etag = [stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-');
  return { sizeBytes: Number(stats.size), modifiedAt: stats.mtime, etag: `"${etag}"` };
}

/** The name within its folder. */
export function lastOf(parts: readonly string[]): string {
  return parts.at(-1) ?? '';
}
