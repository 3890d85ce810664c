// Lists one page of a folder of any size, holding one page of names in memory.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fail } from '../../core/domain/errors.ts';
import type { Work } from '../work/owner-work.ts';
import { entryStats, nameBatchesIn } from './walk.ts';

interface ListedFile {
  name: string;
  type: 'file' | 'directory' | 'link' | 'other';
  sizeBytes: number;
  /** Permission bits. */
  mode: number;
  modifiedAt: Date;
}

/** A page; `count` is the number of all entries, `nextCursor` null at the end. */
export interface FileList {
  entries: ListedFile[];
  count: number;
  nextCursor: string | null;
}

/** The first `limit` entries after the cursor, in the byte order of their names. */
export async function listFolder(
  folder: FileHandle,
  page: { limit: number; cursor: string | null },
  work: Work,
): Promise<FileList> {
  const after = page.cursor === null ? null : parseCursor(page.cursor);
  let names: Buffer[] = [];
  /** Names after it are on no page of this length. */
  let last: Buffer | null = null;
  let count = 0;
  for await (const batch of nameBatchesIn(folder)) {
    count += batch.length;
    for (const name of batch) {
      work.entry();
      if (after && Buffer.compare(name, after) <= 0) continue;
      if (!last || Buffer.compare(name, last) < 0) names.push(name);
    }
    if (names.length <= 4 * page.limit + 1000) continue;
    names = firstOf(names, page.limit + 1);
    last = names.at(-1) ?? null;
  }
  names = firstOf(names, page.limit + 1);
  const shown = names.slice(0, page.limit);
  const entries: ListedFile[] = [];
  for (const name of shown) {
    const stats = await entryStats(folder, name);
    if (stats) entries.push(toListed(name, stats));
  }
  const end = shown.at(-1);
  return { entries, count, nextCursor: names.length > shown.length && end ? end.toString('base64url') : null };
}

function firstOf(names: Buffer[], limit: number): Buffer[] {
  return names.sort(Buffer.compare).slice(0, limit);
}

function parseCursor(cursor: string): Buffer {
  const name = Buffer.from(cursor, 'base64url');
  if (name.length === 0 || name.toString('base64url') !== cursor) throw fail.invalidInput('cursor', 'is not valid');
  return name;
}

function toListed(name: Buffer, stats: BigIntStats): ListedFile {
  return {
    name: name.toString('utf8'),
    type: typeOf(stats),
    sizeBytes: Number(stats.size),
    mode: Number(stats.mode & 0o777n),
    modifiedAt: stats.mtime,
  };
}

function typeOf(stats: BigIntStats): ListedFile['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
