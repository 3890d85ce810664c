// The lines shown in the log panel, outside of React: chunks of 100 by sequence number, replaced
// only when they change. Lines are applied once per frame; while the store is held they queue.
import { endOf, type GapRow, type LogRow } from './log-row.ts';

const chunkLines = 100;
/** With this many queued lines a frame applies twice as many, to catch up. */
const veryMuch = 2000;

/** Immutable. `runBefore`: run of the row before the first one, null when that is unknown. */
export interface LogChunk {
  /** Sequence number of its first possible row, divided by 100. */
  key: number;
  rows: readonly LogRow[];
  runBefore: number | null;
}

/** `waiting`: lines after the last row that is shown. `first`: sequence number of the first row. */
export interface LogSnapshot {
  chunks: readonly LogChunk[];
  waiting: number;
  first: number | null;
}

/** Why the view is held: text selected, scrolled away, or paused. */
export type HoldReason = 'selection' | 'scrolled' | 'paused';

interface Options {
  /** Maximum number of rows shown, and of rows queued. */
  cap: number;
  /** Rows applied per frame, twice as many when catching up; all if omitted. */
  perFrame?: number;
  /** Calls back before the next frame is drawn. */
  schedule(flush: () => void): void;
}

export class LineStore {
  readonly #cap: number;
  readonly #perFrame: number;
  readonly #schedule: Options['schedule'];
  readonly #listeners = new Set<() => void>();
  readonly #holds = new Set<HoldReason>();
  #snapshot: LogSnapshot = { chunks: [], waiting: 0, first: null };
  #pending: LogRow[] = [];
  #scheduled = false;
  /** Sequence number of the newest row that arrived, shown or not. */
  #newest: number | null = null;
  /** Sequence number up to which the view was cleared. */
  #clearedTo: number | null = null;

  constructor({ cap, perFrame = Number.POSITIVE_INFINITY, schedule }: Options) {
    this.#cap = cap;
    this.#perFrame = perFrame;
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly snapshot = (): LogSnapshot => this.#snapshot;

  /** Where to resume the stream; null = nothing received yet. */
  get newest(): number | null {
    return this.#newest;
  }

  get held(): boolean {
    return this.#holds.size > 0;
  }

  /** Adds a row of the live stream; duplicates are ignored. */
  push(row: LogRow): void {
    const end = endOf(row);
    if (end <= Math.max(this.#newest ?? 0, this.#shownTo() ?? 0)) return;
    this.#newest = end;
    this.#pending.push(row);
    // Rows queued beyond the cap are left to history, like those pushed out of the panel.
    if (this.#pending.length >= this.#cap + chunkLines) this.#pending.splice(0, this.#pending.length - this.#cap);
    this.#wake();
  }

  /** Adds rows of history, ascending: all there are from `from` to `to`. Filled gaps disappear. */
  insert(rows: readonly LogRow[], { from, to }: Range): void {
    const first = this.#snapshot.first;
    const older = first !== null && from < first;
    const merged = mergeRows(
      this.#snapshot.chunks.flatMap((chunk) => chunk.rows),
      rows,
      { from, to },
    );
    let chunks: readonly LogChunk[] = groupRows(merged, this.#snapshot.chunks);
    if (older) chunks = this.#withoutNewest(chunks);
    this.#newest = Math.max(this.#newest ?? 0, to);
    this.#show(chunks);
  }

  hold(reason: HoldReason): void {
    this.#holds.add(reason);
  }

  /** Ends one hold reason; without others, queued rows are shown with the next frame. */
  release(reason: HoldReason): void {
    if (this.#holds.delete(reason) && !this.held) this.#wake();
  }

  /** Clears the view; later rows are shown. */
  clear(): void {
    this.#clearedTo = this.#newest ?? this.#shownTo();
    this.#pending = [];
    this.#show([]);
  }

  #wake(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      if (this.held) this.#show(this.#snapshot.chunks);
      else this.#flush();
    });
  }

  #flush(): void {
    const rows: LogRow[] = [];
    let shownTo = this.#shownTo() ?? this.#clearedTo;
    const waiting = this.#pending.length;
    const taken = this.#pending.splice(0, waiting > veryMuch ? 2 * this.#perFrame : this.#perFrame);
    for (const row of taken) {
      if (shownTo !== null && row.seq > shownTo + 1)
        rows.push({ kind: 'gap', seq: shownTo + 1, to: row.seq - 1, reason: 'skipped' });
      rows.push(row);
      shownTo = endOf(row);
    }
    this.#show(this.#withoutOldest(appendRows(this.#snapshot.chunks, rows)));
    if (this.#pending.length > 0) this.#wake();
  }

  #withoutOldest(chunks: readonly LogChunk[]): readonly LogChunk[] {
    let count = countRows(chunks);
    let from = 0;
    while (count > this.#cap && from < chunks.length - 1) count -= chunks[from++]!.rows.length;
    return chunks.slice(from);
  }

  /** Keeps the oldest rows up to the maximum; the others queue as if they had just arrived. */
  #withoutNewest(chunks: readonly LogChunk[]): readonly LogChunk[] {
    let count = countRows(chunks);
    let to = chunks.length;
    while (count > this.#cap && to > 1) count -= chunks[--to]!.rows.length;
    const away = chunks.slice(to).flatMap((chunk) => chunk.rows);
    this.#pending = [...away, ...this.#pending].slice(-this.#cap);
    return chunks.slice(0, to);
  }

  #shownTo(): number | null {
    const last = this.#snapshot.chunks.at(-1)?.rows.at(-1);
    return last ? endOf(last) : null;
  }

  #show(chunks: readonly LogChunk[]): void {
    const last = chunks.at(-1)?.rows.at(-1);
    const shownTo = last ? endOf(last) : this.#clearedTo;
    const newest = this.#pending.at(-1);
    const begin = shownTo ?? (this.#pending[0]?.seq ?? 1) - 1;
    // Rows of the next frames aren't held.
    const waiting = newest && this.held ? endOf(newest) - begin : 0;
    this.#snapshot = { chunks, waiting, first: chunks[0]?.rows[0]?.seq ?? null };
    for (const listener of this.#listeners) listener();
  }
}

function countRows(chunks: readonly LogChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.rows.length, 0);
}

function keyOf(row: LogRow): number {
  return Math.floor(row.seq / chunkLines);
}

function appendRows(chunks: readonly LogChunk[], rows: readonly LogRow[]): readonly LogChunk[] {
  const first = rows[0];
  const last = chunks.at(-1);
  if (!first) return chunks;
  if (!last || last.key !== keyOf(first)) return [...chunks, ...groupRows(rows, [], lastRun(last))];
  const begun = [...last.rows, ...rows];
  return [...chunks.slice(0, -1), ...groupRows(begun, [], last.runBefore)];
}

/** Chunks of ascending rows; unchanged ones of `before` are reused. */
function groupRows(rows: readonly LogRow[], before: readonly LogChunk[], run: number | null = null): LogChunk[] {
  const known = new Map(before.map((chunk) => [chunk.key, chunk]));
  const chunks: LogChunk[] = [];
  for (let at = 0; at < rows.length; ) {
    const key = keyOf(rows[at]!);
    let end = at;
    while (end < rows.length && keyOf(rows[end]!) === key) end++;
    const runBefore = chunks.length > 0 ? lastRun(chunks.at(-1)) : run;
    const made: LogChunk = { key, rows: rows.slice(at, end), runBefore };
    const old = known.get(key);
    chunks.push(old && isSame(old, made) ? old : made);
    at = end;
  }
  return chunks;
}

function isSame(one: LogChunk, other: LogChunk): boolean {
  return (
    one.runBefore === other.runBefore &&
    one.rows.length === other.rows.length &&
    one.rows.every((row, index) => row === other.rows[index])
  );
}

function lastRun(chunk: LogChunk | undefined): number | null {
  return chunk?.rows.findLast((each) => each.kind !== 'gap')?.run ?? chunk?.runBefore ?? null;
}

interface Range {
  from: number;
  to: number;
}

/**
 * Both, ascending, each sequence number once; gaps lose what is covered, and stand wherever else
 * something is missing.
 */
function mergeRows(shown: readonly LogRow[], given: readonly LogRow[], covered: Range): LogRow[] {
  const rows = new Map<number, LogRow>();
  for (const row of shown)
    for (const part of row.kind === 'gap' && row.reason !== 'retention' ? withoutCovered(row, covered) : [row])
      rows.set(part.seq, part);
  for (const row of given) if (!rows.has(row.seq)) rows.set(row.seq, row);
  const merged: LogRow[] = [];
  for (const row of [...rows.values()].sort((one, other) => one.seq - other.seq)) {
    const before = merged.at(-1);
    if (before && row.seq > endOf(before) + 1) {
      const hole = { kind: 'gap', seq: endOf(before) + 1, to: row.seq - 1, reason: 'skipped' } as const;
      merged.push(...withoutCovered<GapRow>(hole, covered));
    }
    merged.push(row);
  }
  return merged;
}

function withoutCovered<Gap extends GapRow>(gap: Gap, { from, to }: Range): Gap[] {
  if (to < gap.seq || from > gap.to) return [gap];
  const parts: Gap[] = [];
  if (gap.seq < from) parts.push({ ...gap, to: from - 1 });
  if (gap.to > to) parts.push({ ...gap, seq: to + 1 });
  return parts;
}
