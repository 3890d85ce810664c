// A folder beside the homes, on their file system and out of the bots' reach, where files are made before they move in
// and where deleted ones go. Must not know what is staged.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptyFolder } from './remove-tree.ts';
import { openRoot } from './walk.ts';

/** A private folder for one operation. Disposing of it deletes it with all that is inside, unless `keep` was set. */
export class Stage {
  readonly path: string;
  readonly folder: FileHandle;
  /** Leave the folder for the next start of Botel, which tries again. */
  keep = false;

  constructor(path: string, folder: FileHandle) {
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
      await rmdir(this.path);
    } finally {
      await this.folder.close();
    }
  }
}

export class Staging {
  readonly #directory: string;

  /** Makes `directory` (0700) when it is missing; it must be on the same file system as the homes. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** A new empty stage. */
  async create(): Promise<Stage> {
    const path = join(this.#directory, randomUUID());
    await mkdir(path, 0o700);
    return new Stage(path, await openRoot(path));
  }

  /** What operations that were cut off left behind. Call before the first `create`. */
  async leftovers(): Promise<Stage[]> {
    const stages: Stage[] = [];
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      stages.push(new Stage(path, await openRoot(path)));
    }
    return stages;
  }
}
