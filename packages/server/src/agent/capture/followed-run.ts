// One run whose output is captured: its tail, its watcher, and the lines not yet committed.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { StoreAllowance } from '../../core/domain/output-throttle.ts';
import type { LogEntry } from '../../core/domain/log-line.ts';
import { JsonFileTail, type TailCursor, type TailLoss, type TailSlice } from './json-file-tail.ts';
import { entriesOf, lostEntry } from './json-file-records.ts';
import { OutputMeter } from './output-meter.ts';

/** Bytes counted as dropped in one step: counting takes as long as a commit. */
const leftOutBytes = 4 * 1024 * 1024;

/** A container's output, and the run that it belongs to. */
export interface LogSource {
  botId: string;
  run: number;
  containerId: string;
  /** A build container: its output goes to the stream `build`. */
  isBuild?: boolean;
}

/** The growing output of a run. */
export interface RunOutput {
  readonly source: LogSource;
  /** Bytes added to the engine's log since the last call, read or not; 0 on the first call. */
  grown(): number;
}

/** Lines to be committed together with the cursor after them. */
export interface Portion {
  entries: LogEntry[];
  /** Bytes of the source. */
  bytes: number;
  cursor: StoredCursor;
  /** More of the source can be read at once. */
  more: boolean;
}

/** The cursor as stored. `done`: the run has ended and was read to its end. */
export interface StoredCursor {
  place: TailCursor | null;
  done: boolean;
}

export class FollowedRun implements RunOutput {
  readonly source: LogSource;
  /** Read but not yet committed. */
  pending: Portion | null = null;
  /** Not read again before this time (ms). */
  notBefore = 0;
  opening = false;
  /** The last attempt failed, and the failure was reported. */
  failing = false;
  /** The run has ended: following ends with its last line. */
  draining = false;
  readonly #waiters: PromiseWithResolvers<void>[] = [];
  #cursor: StoredCursor | null = null;
  #path: string | null = null;
  #tail: JsonFileTail | null = null;
  #watcher: FSWatcher | null = null;
  #meter: OutputMeter | null = null;
  readonly #allowance = new StoreAllowance();

  constructor(source: LogSource) {
    this.source = source;
  }

  get opened(): boolean {
    return this.#tail !== null;
  }

  /** Whether the program is running, as far as known here, and its log was found. */
  get isWritten(): boolean {
    return this.#meter !== null && !this.draining;
  }

  grown(): number {
    return this.#meter?.grown() ?? 0;
  }

  /** Begins at `cursor`; `path` null = the source is known to be gone. */
  open(path: string | null, cursor: StoredCursor | null): void {
    this.#path = path;
    this.#cursor = cursor;
    this.#tail = new JsonFileTail(path ?? '', cursor?.place ?? null);
    if (path !== null) this.#meter = new OutputMeter(path);
  }

  /** Calls `changed` whenever the source may have grown; has no effect until its folder exists. */
  watch(changed: () => void): void {
    if (this.#watcher || !this.#path) return;
    const prefix = basename(this.#path);
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith(prefix)) changed();
      });
    } catch {
      // The folder is missing, or the machine is out of watches: polling finds the lines.
      return;
    }
    this.#watcher.on('error', () => this.#unwatch());
  }

  /** The next portion, also kept in `pending`; null when there is none now. `now` in ms. */
  read(now: number): Portion | null {
    if (this.pending) return this.pending;
    const slice = this.#path === null ? null : (this.#tail?.read() ?? null);
    if (!slice) return null;
    // The last lines of an ended run explain why it ended.
    const isEnd = this.draining && !slice.more;
    const isTaken = this.#allowance.take(slice.lines.length, now) || isEnd;
    this.pending = isTaken ? this.#stored(slice, new Date(now).toISOString()) : this.#leftOut(slice, now);
    this.#cursor = this.pending.cursor;
    return this.pending;
  }

  #stored(slice: TailSlice, now: string): Portion {
    const { run } = this.source;
    const entries = entriesOf(slice.lines, run, now);
    if (this.source.isBuild) for (const entry of entries) if ('text' in entry) entry.stream = 'build';
    const lost = lossEntries(slice, run, entries[0]?.ts ?? now);
    return {
      entries: lost.length > 0 ? [...lost, ...entries] : entries,
      bytes: slice.lines.length,
      cursor: { place: slice.cursor, done: false },
      more: slice.more,
    };
  }

  /** Counts available output that is too much to store; stores the very end of a run anyway. */
  #leftOut(first: TailSlice, at: number): Portion {
    const left = { ...first, count: 0, bytes: 0 };
    let end: Portion | null = null;
    for (let slice: TailSlice | null = first; slice; ) {
      if (slice !== first) left.broken += slice.broken;
      left.lost ||= slice.lost;
      left.count += linesIn(slice.lines);
      left.bytes += slice.lines.length;
      left.cursor = slice.cursor;
      left.more = slice.more;
      slice = left.more && left.bytes < leftOutBytes ? (this.#tail?.read() ?? null) : null;
      if (slice && this.draining && !slice.more) {
        end = this.#stored(slice, new Date(at).toISOString());
        slice = null;
      }
    }
    const { run } = this.source;
    const ts = new Date(at).toISOString();
    const dropped: LogEntry = { ts, run, dropped: true, count: left.count, reason: 'flood' };
    const entries = [...lossEntries(left, run, ts), dropped];
    if (end) return { ...end, entries: [...entries, ...end.entries], bytes: left.bytes + end.bytes };
    return { entries, bytes: left.bytes, cursor: { place: left.cursor, done: false }, more: left.more };
  }

  /** The last portion of an ended run, after `read`; null = it never wrote, or is done already. */
  readEnd(now: string): Portion | null {
    if (this.#tail?.opened) {
      this.#cursor ??= { place: null, done: false };
    } else if (!this.#cursor || this.#cursor.done) {
      return null;
    }
    // A source that existed and is gone may have had more than was read.
    const loss = this.#tail?.opened ? this.#tail.rest() : { lost: true, broken: 0 };
    const entries = lossEntries(loss, this.source.run, now);
    this.pending = { entries, bytes: 0, cursor: { place: this.#cursor?.place ?? null, done: true }, more: false };
    return this.pending;
  }

  /** Resolves when the run was read to its end; rejects when that is not possible now. */
  drained(): Promise<void> {
    this.draining = true;
    const waiter = Promise.withResolvers<void>();
    this.#waiters.push(waiter);
    return waiter.promise;
  }

  /** Releases files and watcher, and settles the promises of `drained`. */
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

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
