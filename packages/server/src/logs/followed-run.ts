// One run whose output is being captured: its tail, its watcher, and what was read but is not committed yet. Must not
// commit anything, nor decide when to read.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LogEntry } from '../domain/log-line.ts';
import { JsonFileTail, type TailCursor, type TailLoss } from './json-file-tail.ts';
import { entriesOf, lostEntry } from './json-file-records.ts';

/** A container's output, and the run that it belongs to. */
export interface LogSource {
  botId: string;
  run: number;
  containerId: string;
  /** The container builds: its output is of the stream `build`. */
  isBuild?: boolean;
}

/** Lines to be committed together with the cursor behind them. */
export interface Portion {
  entries: LogEntry[];
  /** Bytes of the source. */
  bytes: number;
  cursor: StoredCursor;
  /** The source can be read on at once. */
  more: boolean;
}

/** A cursor as the table keeps it. `done`: the run had ended and was read to its end. */
export interface StoredCursor {
  place: TailCursor | null;
  done: boolean;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

export class FollowedRun {
  readonly source: LogSource;
  /** Read, not yet committed. */
  pending: Portion | null = null;
  /** Not read again before this time (ms). */
  notBefore = 0;
  opening = false;
  /** The last attempt failed and was reported. */
  failing = false;
  /** The run has ended: following ends with its last line. */
  draining = false;
  readonly #waiters: Waiter[] = [];
  #cursor: StoredCursor | null = null;
  #path: string | null = null;
  #tail: JsonFileTail | null = null;
  #watcher: FSWatcher | null = null;

  constructor(source: LogSource) {
    this.source = source;
  }

  get opened(): boolean {
    return this.#tail !== null;
  }

  /** Begins at `cursor`; `path` null = the source is known to be gone. */
  open(path: string | null, cursor: StoredCursor | null): void {
    this.#path = path;
    this.#cursor = cursor;
    this.#tail = new JsonFileTail(path ?? '', cursor?.place ?? null);
  }

  /** Calls `changed` whenever the source may have grown; without effect until its folder exists. */
  watch(changed: () => void): void {
    if (this.#watcher || !this.#path) return;
    const prefix = basename(this.#path);
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith(prefix)) changed();
      });
    } catch {
      // No folder yet, or no watches left on this machine: polling finds the lines.
      return;
    }
    this.#watcher.on('error', () => this.#unwatch());
  }

  /** The next portion, kept in `pending`; null when there is nothing now. `now` is ISO 8601. */
  read(now: string): Portion | null {
    if (this.pending) return this.pending;
    const slice = this.#path === null ? null : this.#tail?.read();
    if (!slice) return null;
    const { run } = this.source;
    const entries = entriesOf(slice.lines, run, now);
    if (this.source.isBuild) for (const entry of entries) if ('text' in entry) entry.stream = 'build';
    const lost = lossEntries(slice, run, entries[0]?.ts ?? now);
    this.#cursor = { place: slice.cursor, done: false };
    this.pending = {
      entries: lost.length > 0 ? [...lost, ...entries] : entries,
      bytes: slice.lines.length,
      cursor: this.#cursor,
      more: slice.more,
    };
    return this.pending;
  }

  /** What is left to be committed once `read` finds nothing in an ended run; null = nothing ever was, or it is done already. */
  readEnd(now: string): Portion | null {
    if (this.#tail?.opened) {
      this.#cursor ??= { place: null, done: false };
    } else if (!this.#cursor || this.#cursor.done) {
      return null;
    }
    // A source that was there and is gone may have had more than was read of it.
    const loss = this.#tail?.opened ? this.#tail.rest() : { lost: true, broken: 0 };
    const entries = lossEntries(loss, this.source.run, now);
    this.pending = { entries, bytes: 0, cursor: { place: this.#cursor?.place ?? null, done: true }, more: false };
    return this.pending;
  }

  /** Resolves when the run was read to its end; rejects when that can't be tried now. */
  drained(): Promise<void> {
    this.draining = true;
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Releases files and watcher, and answers who waits for the end. */
  close(error?: unknown): void {
    this.#unwatch();
    this.#tail?.close();
    this.failWaiters(error);
  }

  failWaiters(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) {
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }
}

function lossEntries({ lost, broken }: TailLoss, run: number, ts: string): LogEntry[] {
  const entries: LogEntry[] = [];
  if (lost) entries.push(lostEntry(run, ts, null));
  if (broken > 0) entries.push(lostEntry(run, ts, broken));
  return entries;
}
