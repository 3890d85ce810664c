// Reads what a build needs to know about a project: names in its root, beginnings of files, and a
// fingerprint of the files that the build depends on.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { TreeTooLargeError, unlessGone } from '../homes/file-errors.ts';
import type { Homes } from '../homes/homes.ts';
import { scanTree } from '../homes/tree-scan.ts';
import { namesIn, openFile, openRoot } from '../homes/walk.ts';
import type { BigIntStats } from 'node:fs';
import { mebibyte } from '../../core/domain/quota.ts';

const rootNamesMax = 10_000;
const readBytes = 64 * 1024;

/** Bounds of one fingerprint. */
export interface FingerprintBudget {
  /** Per file. */
  fileBytes: number;
  /** In all. */
  bytes: number;
  /** Files and folders. */
  entries: number;
  timeMs: number;
}

export const fingerprintBudget: FingerprintBudget = {
  fileBytes: 64 * mebibyte,
  bytes: 256 * mebibyte,
  entries: 100_000,
  timeMs: 20_000,
};

/** The files that a fingerprint covers. */
export interface Covered {
  /** Names in the root of the home; a missing file counts as missing. */
  inputs: readonly string[];
  /** Suffixes of names anywhere below the root, and whole folders of the root (`src/`). */
  sources: readonly string[];
  /** Names of folders to skip. */
  skip: ReadonlySet<string>;
}

export class Projects {
  readonly #homes: Pick<Homes, 'path'>;
  readonly #budget: FingerprintBudget;

  constructor(homes: Pick<Homes, 'path'>, budget = fingerprintBudget) {
    this.#homes = homes;
    this.#budget = budget;
  }

  /** Names in the root of the home, and up to the given number of bytes of each file there. */
  async inspect(
    botId: string,
    texts: ReadonlyMap<string, number>,
  ): Promise<{ names: Set<string>; texts: Map<string, string> }> {
    await using home = await this.#open(botId);
    const seen = { names: new Set<string>(), texts: new Map<string, string>() };
    if (!home) return seen;
    for await (const name of namesIn(home)) {
      seen.names.add(name.toString());
      if (seen.names.size >= rootNamesMax) break;
    }
    for (const [name, bytes] of texts) {
      const text = seen.names.has(name) ? await readBeginning(home, name, bytes) : null;
      if (text !== null) seen.texts.set(name, text);
    }
    return seen;
  }

  /** The text of a file in the root; null when it is missing, unreadable or too large. */
  async text(botId: string, name: string, bytesMax: number): Promise<string | null> {
    await using home = await this.#open(botId);
    const text = home && (await readBeginning(home, name, bytesMax + 1));
    return text === null || Buffer.byteLength(text) > bytesMax ? null : text;
  }

  /**
   * SHA-256 (hex) over names and contents of the covered files. What exceeds the budget is data,
   * not source: such files count by size and time of change. Rejects with the reason of `signal`.
   */
  async fingerprint(botId: string, { inputs, sources, skip }: Covered, signal: AbortSignal): Promise<string> {
    const { entries, timeMs } = this.#budget;
    const late = AbortSignal.timeout(timeMs);
    const reader = new BudgetedReader(this.#budget, AbortSignal.any([signal, late]));
    const whole = createHash('sha256');
    await using home = await this.#open(botId);
    if (!home) return whole.digest('hex');
    try {
      for (const name of [...inputs].sort()) whole.update(`${name}\0${await reader.digest(home, name)}\n`);
      if (sources.length === 0) return whole.digest('hex');
      const found: { shown: string; size: string; digest: string }[] = [];
      const enter = (name: Buffer) => !skip.has(name.toString());
      for await (const { path, name, folder, stats } of scanTree(home, { entries, enter, signal: reader.signal })) {
        if (!stats.isFile() || !isSource(path, sources)) continue;
        const shown = path.map((part) => `/${part.toString('latin1')}`).join('');
        found.push({ shown, size: sizeAndTime(stats), digest: await reader.digest(folder, name) });
      }
      // All of them or none: which were read first depends on the order of the folder.
      const lines = found.map(({ shown, size, digest }) => `${shown}\0${reader.isExhausted ? size : digest}`);
      return whole.update(lines.sort().join('\n')).digest('hex');
    } catch (error) {
      signal.throwIfAborted();
      // That many files, or that slow ones, are data. The manifests still count.
      if (error instanceof TreeTooLargeError || late.aborted) return whole.update('too many files').digest('hex');
      throw error;
    }
  }

  #open(botId: string): Promise<FileHandle | null> {
    return openRoot(this.#homes.path(botId)).catch(unlessGone);
  }
}

function isSource(path: Buffer[], sources: readonly string[]): boolean {
  const name = path.at(-1)?.toString() ?? '';
  const top = path.length > 1 ? `${path[0]}/` : '';
  return sources.some((source) => (source.endsWith('/') ? top === source : name.endsWith(source)));
}

/** Up to that many bytes of a regular file as text; null when there is no such file. */
async function readBeginning(folder: FileHandle, name: string, bytes: number): Promise<string | null> {
  const file = await openFile(folder, name).catch(() => null);
  if (!file) return null;
  await using handle = file.handle;
  const buffer = Buffer.alloc(Math.min(bytes, Number(file.stats.size)));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.toString('utf8', 0, length);
}

function sizeAndTime({ size, mtimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs}`;
}

/** Hashes files within a budget. Sizes are apparent ones: reading a hole takes time too. */
class BudgetedReader {
  /** Set once a file was left unread because all files together exceed the budget. */
  isExhausted = false;
  readonly signal: AbortSignal;
  readonly #fileBytes: number;
  #bytesLeft: number;

  constructor(budget: FingerprintBudget, signal: AbortSignal) {
    this.signal = signal;
    this.#fileBytes = budget.fileBytes;
    this.#bytesLeft = budget.bytes;
  }

  /** SHA-256 (hex) of a regular file, its size and time if that is too much; '-' for none. */
  async digest(folder: FileHandle, name: string | Buffer): Promise<string> {
    const file = await openFile(folder, name).catch(() => null);
    if (!file) return '-';
    await using handle = file.handle;
    const bytes = Number(file.stats.size);
    if (bytes > this.#fileBytes) return sizeAndTime(file.stats);
    if (bytes > this.#bytesLeft) {
      this.isExhausted = true;
      return sizeAndTime(file.stats);
    }
    this.#bytesLeft -= bytes;
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(readBytes);
    // A file that grows meanwhile is not followed.
    for (let left = bytes; left > 0; ) {
      this.signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, Math.min(readBytes, left), null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return hash.digest('hex');
  }
}
