// A folder beside the homes, on their file system and out of the bots' reach: files are made there
// before they move in, and deleted ones go there.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from './file-errors.ts';
import { emptyFolder } from './remove-tree.ts';
import { openRoot } from './walk.ts';

/** A private folder for one operation. Disposing of it deletes it with all that is inside, unless `keep` was set. */
export class Stage {
  readonly path: string;
  readonly folder: FileHandle;
  /** Leave the folder for the next start of Botel, which tries again. */
  keep = false;
  /** Whether it is there for good: then only what is inside is deleted. */
  readonly #isSpare: boolean;

  constructor(path: string, folder: FileHandle, isSpare = false) {
    this.#isSpare = isSpare;
    this.path = path;
    this.folder = folder;
  }

  /** Writes all of the stage's file system to the disk: one call, where an fsync per file would take minutes. */
  async flush(): Promise<void> {
    await promisify(execFile)('sync', ['-f', this.path]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.keep) return;
      await emptyFolder(this.folder);
      if (!this.#isSpare) await rmdir(this.path);
    } finally {
      await this.folder.close();
    }
  }
}

export class Staging {
  readonly #directory: string;
  readonly #spare: string | null;

  /**
   * Makes `directory` (0700) when it is missing; it must be on the same file system as the homes. `spare` is a folder
   * beside it, for deletions where the disk has no room for another one.
   */
  constructor(directory: string, spare: string | null = null) {
    this.#directory = directory;
    this.#spare = spare;
    for (const path of [directory, spare]) if (path !== null) mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** A new empty stage. */
  async create(): Promise<Stage> {
    const path = join(this.#directory, randomUUID());
    await mkdir(path, 0o700);
    return new Stage(path, await openRoot(path));
  }

  /** A stage for what is deleted, also on a full disk. It may hold what others delete: take names that are your own. */
  async createToDelete(): Promise<Stage> {
    try {
      return await this.create();
    } catch (error) {
      if (this.#spare === null || errnoOf(error) !== 'ENOSPC') throw error;
      return new Stage(this.#spare, await openRoot(this.#spare), true);
    }
  }

  /** What operations that were cut off left behind. Call before the first `create`. */
  async leftovers(): Promise<Stage[]> {
    const stages: Stage[] = [];
    if (this.#spare !== null) stages.push(new Stage(this.#spare, await openRoot(this.#spare), true));
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      stages.push(new Stage(path, await openRoot(path)));
    }
    return stages;
  }
}
