// The files open in tabs, one set per bot; kept while other pages are shown, so that no edits are
// lost.
import { ValueStore } from '../lib/value-store.ts';
import { readFile } from './files-api.ts';
import { editableBytes, imageTypeOf, previewBytes, textOf } from './file-kinds.ts';
import { OpenFile } from './open-file.ts';

/** An open file. `binary`: neither text nor image; `too_big`: only for download. */
type Shown =
  | { kind: 'loading' }
  | { kind: 'text'; file: OpenFile }
  | { kind: 'image'; blob: Blob }
  | { kind: 'binary' }
  | { kind: 'too_big' }
  | { kind: 'failed'; error: unknown };

export type Tab = { path: string } & Shown;

export class OpenFiles {
  readonly #botId: string;
  readonly tabs = new ValueStore<readonly Tab[]>([]);

  constructor(botId: string) {
    this.#botId = botId;
  }

  /** Opens a file unless it is already open. */
  async open(path: string): Promise<void> {
    const there = this.#find(path);
    if (there && there.kind !== 'failed') return;
    if (!there) this.tabs.set([...this.tabs.get(), { path, kind: 'loading' }]);
    await this.reload(path);
  }

  /** Reloads an open file and discards its edits. */
  async reload(path: string): Promise<void> {
    this.#show(path, { kind: 'loading' });
    this.#show(path, await this.#read(path).catch((error: unknown) => ({ kind: 'failed' as const, error })));
  }

  async #read(path: string): Promise<Shown> {
    const type = imageTypeOf(path);
    const content = await readFile(this.#botId, path, type === null ? editableBytes : previewBytes);
    if (content === null) return { kind: 'too_big' };
    const { bytes, etag } = content;
    if (type !== null) return { kind: 'image', blob: new Blob([bytes], { type }) };
    const text = textOf(bytes);
    return text === null ? { kind: 'binary' } : { kind: 'text', file: new OpenFile(this.#botId, path, { text, etag }) };
  }

  close(path: string): void {
    this.tabs.set(this.tabs.get().filter((tab) => tab.path !== path));
  }

  /** Follows a moved file or folder, keeping edits. */
  moved(from: string, to: string): void {
    const next = this.tabs.get().map((tab) => {
      if (tab.path !== from && !tab.path.startsWith(`${from}/`)) return tab;
      const path = to + tab.path.slice(from.length);
      if (tab.kind === 'text') tab.file.path = path;
      return { ...tab, path };
    });
    this.tabs.set(next);
  }

  /** Whether there are unsaved edits. */
  hasChanges(): boolean {
    return this.tabs.get().some((tab) => tab.kind === 'text' && tab.file.isDirty.get());
  }

  /** Ignores a tab closed meanwhile. */
  #show(path: string, shown: Shown): void {
    this.tabs.set(this.tabs.get().map((tab) => (tab.path === path ? { path, ...shown } : tab)));
  }

  #find(path: string): Tab | undefined {
    return this.tabs.get().find((tab) => tab.path === path);
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
