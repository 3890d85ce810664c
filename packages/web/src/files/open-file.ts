// A file open in the editor: its version, the edits, and the outcome of saving. Outside of React,
// so that a tab keeps its text while another one is shown.
import type { EditorState, Text } from '@codemirror/state';
import { isApiError } from '../lib/api-error.ts';
import { ValueStore } from '../lib/value-store.ts';
import { readFile, writeFile } from './files-api.ts';
import { textOf } from './file-kinds.ts';

/**
 * `conflict`: somebody else has written the file; `theirs` is what it holds now (null = it is
 * gone).
 */
export type SaveOutcome = { kind: 'saved' } | { kind: 'conflict'; theirs: { text: string; etag: string } | null };

export class OpenFile {
  readonly botId: string;
  /** Changes when the file is moved. */
  path: string;
  /** null = it does not exist any more. */
  #etag: string | null;
  /** As last loaded or saved. */
  readonly text: string;
  /** Kept while the tab is hidden. */
  state: EditorState | null = null;
  #savedDoc: Text | null = null;
  readonly isDirty = new ValueStore(false);
  /** Replaces the text in the open editor. */
  #show: ((text: string) => void) | null = null;

  constructor(botId: string, path: string, content: { text: string; etag: string }) {
    this.botId = botId;
    this.path = path;
    this.text = content.text;
    this.#etag = content.etag;
  }

  /** The editor's current text; the first call passes the loaded one. */
  take(state: EditorState): void {
    this.#savedDoc ??= state.doc;
    this.state = state;
    this.isDirty.set(!state.doc.eq(this.#savedDoc));
  }

  /** Sets how the text shown is replaced; null = the file isn't shown. */
  shownBy(show: ((text: string) => void) | null): void {
    this.#show = show;
  }

  /** As if it had been typed. */
  replace(text: string): void {
    this.#show?.(text);
  }

  /** Saves the edits. `over`: the version to overwrite on purpose; null = none. */
  async save(over: string | null = this.#etag): Promise<SaveOutcome> {
    const { state } = this;
    if (!state) return { kind: 'saved' };
    try {
      const { etag } = await writeFile(this.botId, this.path, state.doc.toString(), over);
      this.#etag = etag;
      this.#savedDoc = state.doc;
      this.isDirty.set(this.state !== null && !this.state.doc.eq(state.doc));
      return { kind: 'saved' };
    } catch (error) {
      if (!isApiError(error) || !['file_changed', 'already_exists', 'file_not_found'].includes(error.code)) throw error;
      return { kind: 'conflict', theirs: await this.#readAgain() };
    }
  }

  async #readAgain(): Promise<{ text: string; etag: string } | null> {
    try {
      const content = await readFile(this.botId, this.path, Number.POSITIVE_INFINITY);
      return content && { text: textOf(content.bytes) ?? '', etag: content.etag };
    } catch (error) {
      if (isApiError(error) && error.status === 404) return null;
      throw error;
    }
  }
}
