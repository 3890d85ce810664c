// Scans a tree that a bot may be changing, bounded, with few open files, never through links.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { DiskUse } from '../../core/domain/quota.ts';
import { errnoOf, TreeTooLargeError } from './file-errors.ts';
import { entryStats, namesIn, openFolder } from './walk.ts';

const depthMax = 256;

/** A visited entry. `folder` is open during the visit. */
export interface TreeEntry {
  /** Names from the start of the scan to this entry. */
  path: Buffer[];
  name: Buffer;
  folder: FileHandle;
  stats: BigIntStats;
}

interface Place {
  name: Buffer;
  parent: Place | null;
}

/**
 * Yields every entry below `root`, a folder before its content; skips the content of folders that
 * `enter` refuses. Rejects with TreeTooLargeError, or with the reason of `signal`.
 */
export async function* scanTree(
  root: FileHandle,
  limits: { entries: number; signal?: AbortSignal; enter?: (name: Buffer) => boolean },
): AsyncGenerator<TreeEntry> {
  const waiting: (Place | null)[] = [null];
  let seen = 0;
  while (waiting.length > 0) {
    const place = waiting.pop() ?? null;
    const path = pathOf(place);
    await using folder = await openUnlessGone(root, path);
    if (!folder) continue;
    for await (const name of namesIn(folder)) {
      limits.signal?.throwIfAborted();
      const stats = await entryStats(folder, name);
      if (!stats) continue;
      if (++seen > limits.entries || path.length >= depthMax) throw new TreeTooLargeError('The tree is too large');
      yield { path: [...path, name], name, folder, stats };
      if (stats.isDirectory() && limits.enter?.(name) !== false) waiting.push({ name, parent: place });
    }
  }
}

function pathOf(place: Place | null): Buffer[] {
  const path: Buffer[] = [];
  for (let at = place; at; at = at.parent) path.unshift(at.name);
  return path;
}

async function openUnlessGone(root: FileHandle, path: Buffer[]): Promise<FileHandle | null> {
  try {
    return await openFolder(root, path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** Bytes in whole blocks, hard links once. `complete`: false when a bound cut the count short. */
export interface Counted extends DiskUse {
  complete: boolean;
}

/** Adds up the space used below `root`, for at most `timeMs`. */
export async function measureTree(root: FileHandle, timeMs: number): Promise<Counted> {
  const signal = AbortSignal.timeout(timeMs);
  const linked = new Set<bigint>();
  let blocks = 0n;
  let files = 0;
  try {
    for await (const { stats } of scanTree(root, { entries: 1_000_000, signal })) {
      if (stats.nlink > 1n && !stats.isDirectory()) {
        if (linked.has(stats.ino)) continue;
        linked.add(stats.ino);
      }
      blocks += stats.blocks;
      files++;
    }
    return { bytes: Number(blocks * 512n), files, complete: true };
  } catch (error) {
    if (error instanceof TreeTooLargeError || signal.aborted)
      return { bytes: Number(blocks * 512n), files, complete: false };
    throw error;
  }
}
