// Caches the last folder opened. Unsuitable where a bot may have replaced it meanwhile.
import type { FileHandle } from 'node:fs/promises';
import { type Name, openFolder } from './walk.ts';

export class RecentFolder implements AsyncDisposable {
  readonly #root: FileHandle;
  #last: { path: string; folder: FileHandle } | null = null;

  constructor(root: FileHandle) {
    this.#root = root;
  }

  /** Like openFolder, but the caller must not close the folder; it is open until the next call. */
  async open(parts: readonly Name[], options?: { createFor: number }): Promise<FileHandle> {
    const path = parts.map((part) => (typeof part === 'string' ? part : part.toString('latin1'))).join('/');
    if (this.#last?.path === path) return this.#last.folder;
    await this.forget();
    const folder = await openFolder(this.#root, parts, options);
    this.#last = { path, folder };
    return folder;
  }

  /** Closes the folder, so that the next call opens the current one. */
  async forget(): Promise<void> {
    const last = this.#last;
    this.#last = null;
    await last?.folder.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.forget();
  }
}
