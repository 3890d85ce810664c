// A folder beside the homes, on their file system and out of the bots' reach: files are created
// there before they move in, and deleted ones are moved there.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from './file-errors.ts';
import { emptyFolder } from './remove-tree.ts';
import { openRoot } from './walk.ts';

/** A private folder for one operation; disposing of it deletes it unless `keep` was set. */
export class Stage {
  readonly path: string;
  readonly folder: FileHandle;
  /** Leaves the folder for the next start of Botel, which tries again. */
  keep = false;
  /** Whether the folder is permanent: disposing then deletes only its content. */
  readonly #isSpare: boolean;

  constructor(path: string, folder: FileHandle, isSpare = false) {
    this.#isSpare = isSpare;
    this.path = path;
    this.folder = folder;
  }

  /** Flushes the whole file system: one call, where an fsync per file would take minutes. */
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
   * Creates `directory` (0700) when it is missing; it must be on the same file system as the homes.
   * `spare` is a folder beside it, for deletions when the disk has no room for another one.
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

  /** For deletions, also on a full disk. May hold others' entries: use unique names. */
  async createToDelete(): Promise<Stage> {
    try {
      return await this.create();
    } catch (error) {
      if (this.#spare === null || errnoOf(error) !== 'ENOSPC') throw error;
      return new Stage(this.#spare, await openRoot(this.#spare), true);
    }
  }

  /** Stages of interrupted operations. Call before the first `create`. */
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
