// Reads trees that a bot may be changing. Skips special files and those that disappear.
import type { BigIntStats } from 'node:fs';
import { type FileHandle, readlink } from 'node:fs/promises';
import { BotelError } from '../../core/domain/errors.ts';
import { contentOf } from './file-content.ts';
import type { Work } from '../work/owner-work.ts';
import { errnoOf } from './file-errors.ts';
import { scanTree, type TreeEntry } from './tree-scan.ts';
import { entryPath, entryStats, openFile, openFolder } from './walk.ts';

/** A file, folder or link. */
export interface SourceEntry {
  /** Names from the root of the copy or archive on. */
  path: Buffer[];
  kind: 'file' | 'folder' | 'link';
  stats: BigIntStats;
  /** The target of a link, else empty. */
  target: Buffer;
  /** A file's `stats.size` bytes, fewer when it shrank; read once, before the next entry. */
  content(): AsyncIterable<Buffer>;
}

/** Everything below `root`, a folder before its content; each entry counts. */
export async function* entriesBelow(root: FileHandle, work: Work, prefix: Buffer[] = []): AsyncGenerator<SourceEntry> {
  const limits = { entries: Number.POSITIVE_INFINITY, signal: work.signal };
  for await (const { folder, name, path, stats } of scanTree(root, limits)) {
    work.entry();
    yield* readEntry({ folder, name, stats, path: [...prefix, ...path] }, work);
  }
}

/** Everything at and below `paths` (parts from `home`), without the first `skip` names of each. */
export async function* entriesAt(
  home: FileHandle,
  paths: readonly string[][],
  skip: number,
  work: Work,
): AsyncGenerator<SourceEntry> {
  for (const parts of paths) {
    await using folder = await openFolder(home, parts.slice(0, -1));
    const name = Buffer.from(parts.at(-1) ?? '');
    const stats = await entryStats(folder, name);
    if (!stats) continue;
    work.entry();
    const path = parts.slice(skip).map((part) => Buffer.from(part));
    yield* readEntry({ folder, name, stats, path }, work);
    if (!stats.isDirectory()) continue;
    await using inner = await openFolder(folder, [name]);
    yield* entriesBelow(inner, work, path);
  }
}

/** Yields the entry once, or not at all when it is special or gone. */
async function* readEntry(found: TreeEntry, work: Work): AsyncGenerator<SourceEntry> {
  const { folder, name, path, stats } = found;
  const plain = { path, stats, target: Buffer.alloc(0), content: noBytes };
  if (stats.isDirectory()) yield { ...plain, kind: 'folder' };
  else if (stats.isSymbolicLink()) {
    const target = await readlink(entryPath(folder, name), { encoding: 'buffer' }).catch(unlessReplaced);
    if (target) yield { ...plain, kind: 'link', target };
  } else if (stats.isFile()) {
    const opened = await openFile(folder, name).catch(unlessReplaced);
    if (!opened) return;
    await using handle = opened.handle;
    const content = () => untilAborted(contentOf(handle, opened.stats), work.signal);
    yield { ...plain, kind: 'file', stats: opened.stats, content };
  }
}

/** The same entries; files count with their apparent sizes, holes too, before they are read. */
export async function* countedFiles<E extends { kind: string; stats: { size: bigint } }>(
  entries: AsyncIterable<E>,
  work: Work,
): AsyncGenerator<E> {
  for await (const entry of entries) {
    if (entry.kind === 'file') work.read(Number(entry.stats.size));
    yield entry;
  }
}

export async function* noBytes(): AsyncGenerator<Buffer> {
  yield* [];
}

async function* untilAborted(chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** It was deleted, or replaced by an entry of another kind, since it was seen. */
function unlessReplaced(error: unknown): null {
  const isReplaced = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO'].includes(errnoOf(error) ?? '');
  if (isReplaced || error instanceof BotelError) return null;
  throw error;
}
