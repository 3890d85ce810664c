// Writes the output of fake containers in the engine's json-file format.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeStream } from './fake-program.ts';

/** Log files in one directory, created on first use; without a directory, output is dropped. */
export class FakeLog {
  readonly #directory: string | null;

  constructor(directory: string | null) {
    this.#directory = directory;
    if (directory) mkdirSync(directory, { recursive: true });
  }

  /** Path of a container's file, null without a directory. */
  path(containerId: string): string | null {
    return this.#directory && join(this.#directory, `${containerId}-json.log`);
  }

  /** Appends one line of output; `at` is ms since the epoch. */
  write(containerId: string, line: { text: string; stream: FakeStream; at: number }): void {
    const path = this.path(containerId);
    if (!path) return;
    const { text, stream, at } = line;
    appendFileSync(path, `${JSON.stringify({ log: `${text}\n`, stream, time: new Date(at).toISOString() })}\n`);
  }

  remove(containerId: string): void {
    const path = this.path(containerId);
    if (path) rmSync(path, { force: true });
  }
}
