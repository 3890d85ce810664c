// Measures the disks of the data folder and the engine. Refuses new work when one is full.
import { statfs } from 'node:fs/promises';
import { fail } from '../domain/errors.ts';
import { type Filling, type StorageLevel, type StorageMarks, storageLevel, worst } from '../domain/storage.ts';
import type { Clock } from '../lib/clock.ts';

const keptMs = 1_000;

interface Deps {
  dataDirectory: string;
  /** The engine's data folder; may reject while the engine is down. */
  engineDirectory?: () => Promise<string>;
  marks: StorageMarks;
  clock: Clock;
}

export class HostStorage {
  readonly #deps: Deps;
  /** Null until the engine has reported it. */
  #engineDirectory: string | null = null;
  #asking = false;
  #last: { at: number; level: Promise<StorageLevel> } | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The worse level of both file systems, at most a second old. */
  level(): Promise<StorageLevel> {
    const now = this.#deps.clock.now();
    const age = this.#last ? now - this.#last.at : Number.NaN;
    if (this.#last && age >= 0 && age < keptMs) return this.#last.level;
    const level = this.#measure();
    this.#last = { at: now, level };
    return level;
  }

  /** Bytes of the data folder's file system; like df, without those reserved for root. */
  async dataDisk(): Promise<Filling> {
    const [bytes] = await fillingsOf(this.#deps.dataDirectory);
    return bytes ?? { used: 0, free: 0 };
  }

  /** Rejects with 507 when there is no room for new work. */
  async refuseIfFull(): Promise<void> {
    if ((await this.level()) === 'full') throw fail.storageFull();
  }

  async #measure(): Promise<StorageLevel> {
    const { dataDirectory, marks } = this.#deps;
    this.#findEngine();
    const engineDirectory = this.#engineDirectory;
    const fillings = [
      ...(await fillingsOf(dataDirectory)),
      ...(engineDirectory ? await fillingsOf(engineDirectory) : []),
    ];
    return worst(fillings.map((filling) => storageLevel(filling, marks)));
  }

  /** Not awaited: a hanging engine must block nothing. */
  #findEngine(): void {
    const { engineDirectory } = this.#deps;
    if (this.#engineDirectory !== null || this.#asking || !engineDirectory) return;
    this.#asking = true;
    void this.#ask(engineDirectory);
  }

  async #ask(engineDirectory: () => Promise<string>): Promise<void> {
    try {
      this.#engineDirectory = await engineDirectory();
    } catch {
      // The engine is down: the next measurement asks again.
    } finally {
      this.#asking = false;
    }
  }
}

/** Bytes and, where counted, files of the folder's file system; empty when it can't be measured. */
export async function fillingsOf(directory: string): Promise<Filling[]> {
  const disk = await statfs(directory).catch(() => null);
  if (!disk) return [];
  const bytes = { used: (disk.blocks - disk.bfree) * disk.bsize, free: disk.bavail * disk.bsize };
  const files = { used: disk.files - disk.ffree, free: disk.ffree };
  return disk.files > 0 ? [bytes, files] : [bytes];
}
