// Looks how full the file systems are that the data folder and the engine's containers are on, in
// bytes and in files. Refuses new work on a full one.
import { statfs } from 'node:fs/promises';
import { fail } from '../domain/errors.ts';
import { type Filling, type StorageLevel, type StorageMarks, storageLevel, worst } from '../domain/storage.ts';
import type { Clock } from '../lib/clock.ts';

const keptMs = 1_000;

interface Parts {
  dataDirectory: string;
  /** Where the engine keeps its data; may reject while it is away. */
  engineDirectory?: () => Promise<string>;
  marks: StorageMarks;
  clock: Clock;
}

export class HostStorage {
  readonly #parts: Parts;
  /** Null until the engine has said it. */
  #engineDirectory: string | null = null;
  #asking = false;
  #last: { at: number; level: Promise<StorageLevel> } | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The worse of both file systems, at most a second old. */
  level(): Promise<StorageLevel> {
    const now = this.#parts.clock.now();
    const age = this.#last ? now - this.#last.at : Number.NaN;
    if (this.#last && age >= 0 && age < keptMs) return this.#last.level;
    const level = this.#measure();
    this.#last = { at: now, level };
    return level;
  }

  /** Rejects with 507 where there is no room for new work. */
  async refuseIfFull(): Promise<void> {
    if ((await this.level()) === 'full') throw fail.storageFull();
  }

  async #measure(): Promise<StorageLevel> {
    const { dataDirectory, marks } = this.#parts;
    this.#findEngine();
    const engineDirectory = this.#engineDirectory;
    const fillings = [
      ...(await fillingsOf(dataDirectory)),
      ...(engineDirectory ? await fillingsOf(engineDirectory) : []),
    ];
    return worst(fillings.map((filling) => storageLevel(filling, marks)));
  }

  /** Not waited for: an engine that hangs must hold up nobody. */
  #findEngine(): void {
    const { engineDirectory } = this.#parts;
    if (this.#engineDirectory !== null || this.#asking || !engineDirectory) return;
    this.#asking = true;
    void this.#ask(engineDirectory);
  }

  async #ask(engineDirectory: () => Promise<string>): Promise<void> {
    try {
      this.#engineDirectory = await engineDirectory();
    } catch {
      // It is away: asked again by the next measurement.
    } finally {
      this.#asking = false;
    }
  }
}

/** Bytes and files of the file system that the folder is on; none where it can't be looked at.
 * Files only where they are counted. */
export async function fillingsOf(directory: string): Promise<Filling[]> {
  const disk = await statfs(directory).catch(() => null);
  if (!disk) return [];
  const bytes = { used: (disk.blocks - disk.bfree) * disk.bsize, free: disk.bavail * disk.bsize };
  const files = { used: disk.files - disk.ffree, free: disk.ffree };
  return disk.files > 0 ? [bytes, files] : [bytes];
}
