// The files that are open in tabs, one set per bot; kept while other pages are shown, so that nothing that was typed is lost.
import { ValueStore } from '../lib/value-store.ts';
import { readFile } from './files-api.ts';
import { textOf } from './file-kinds.ts';
import { OpenFile } from './open-file.ts';

/** `error`: it could not be read, or is no text. */
export type Tab = { path: string } & (
  | { kind: 'loading' }
  | { kind: 'text'; file: OpenFile }
  | { kind: 'binary' }
  | { kind: 'failed'; error: unknown }
);

export class OpenFiles {
  readonly #botId: string;
  readonly tabs = new ValueStore<readonly Tab[]>([]);

  constructor(botId: string) {
    this.#botId = botId;
  }

  /** Opens a text file; one that is open already stays as it is. */
  async open(path: string): Promise<void> {
    const there = this.tabs.get().find((tab) => tab.path === path);
    if (there && there.kind !== 'failed') return;
    await this.reload(path);
  }

  /** Reads the file anew; what was typed into it is lost. */
  async reload(path: string): Promise<void> {
    this.#put({ path, kind: 'loading' });
    try {
      const { bytes, etag } = await readFile(this.#botId, path);
      const text = textOf(bytes);
      this.#put(
        text === null
          ? { path, kind: 'binary' }
          : { path, kind: 'text', file: new OpenFile(this.#botId, path, { text, etag }) },
      );
    } catch (error) {
      this.#put({ path, kind: 'failed', error });
    }
  }

  close(path: string): void {
    this.tabs.set(this.tabs.get().filter((tab) => tab.path !== path));
  }

  /** Whether something was typed that is not saved. */
  hasChanges(): boolean {
    return this.tabs.get().some((tab) => tab.kind === 'text' && tab.file.isDirty.get());
  }

  #put(tab: Tab): void {
    const tabs = this.tabs.get();
    const index = tabs.findIndex((each) => each.path === tab.path);
    this.tabs.set(index < 0 ? [...tabs, tab] : tabs.with(index, tab));
  }
}

const all = new Map<string, OpenFiles>();

export function openFilesOf(botId: string): OpenFiles {
  let files = all.get(botId);
  if (!files) {
    files = new OpenFiles(botId);
    all.set(botId, files);
  }
  return files;
}
