// Logs by key (id of a bot or an app): append, history, live. Readers pull by offset (a sequence
// number), so a slow one costs nothing.
import {
  decodeLine,
  encodeLine,
  type EntryOf,
  type LogFilter,
  type LogLine,
  type LogText,
  type RecordOf,
  matchesFilter,
  searchedText,
  seqOf,
  timeOf,
} from '../domain/log-line.ts';
import type { Clock } from '../lib/clock.ts';
import { Topic } from '../lib/topic.ts';
import { type LogBatch, type LogGap, RecentLines } from './log-batch.ts';
import type { LineTable, LogChunk, LogDatabase } from './log-table.ts';

/** The lines of one append are split into batches and chunks of this many UTF-16 units. */
const chunkUnits = 32 * 1024;
/** A reader that falls behind by more lines than this is moved to `resumeLines` before the end. */
const maxLagLines = 100_000;
const resumeLines = 1000;
/** A log over its limit is cut to this fraction, so that not every append has to prune. */
const prunedPart = 0.95;
/** An unfinished search stops after this many UTF-16 units; the caller continues from there. */
const searchedUnits = 32 * 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;

export interface LogLimits {
  maxBytes: number;
  maxAgeDays: number;
}

interface Deps {
  table: LineTable;
  database: LogDatabase;
  clock: Clock;
  /** Limits of each log. */
  limits: LogLimits;
}

/** Where a live reader starts: after a sequence number, at a time (ms), or n lines back. */
export type TailStart = { after: number } | { since: number } | { tail: number };

/** `after`, `before`: exclusive; `since`, `until` (ms): inclusive. The newest without `after`. */
export interface LogQuery {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
  since?: number | undefined;
  until?: number | undefined;
  /** Text that the line contains, ignoring case. */
  contains?: string | undefined;
  filter?: LogFilter | undefined;
  /** Ends the search; its result is then useless. */
  signal?: AbortSignal | undefined;
}

/** Selects the lines of a download. */
export type LogBounds = Pick<LogQuery, 'since' | 'until' | 'contains'>;

/** `next`: the number to continue from (`before`, or `after` when paging up); null at the end. */
export interface LogFound<Line extends LogLine = LogText> {
  records: RecordOf<Line>[];
  next: number | null;
}

/** A page of a log, ascending; `gap`: lines deleted before they could be read. */
export interface LogPage<Line extends LogLine = LogText> {
  gap: LogGap | null;
  records: RecordOf<Line>[];
}

export class LineStore<Line extends LogLine> {
  readonly #deps: Deps;
  /** Published when lines of a log (key) were committed. */
  readonly committed = new Topic();
  readonly #recent = new Map<string, RecentLines>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** In order, within the caller's transaction if any. Readers see them after the commit. */
  async append(key: string, entries: readonly EntryOf<Line>[]): Promise<void> {
    if (entries.length === 0) return;
    const { table, database, limits } = this.#deps;
    await database.transaction(async () => {
      let batches: LogBatch[] = [];
      const bytes = await table.append(key, entries.length, (first) => {
        const lines = entries.map((entry, index) => encodeLine(first + index, entry));
        batches = batchesOf(first, lines);
        return batches.map(chunkOf);
      });
      if (bytes > limits.maxBytes) {
        await table.prune(key, { maxBytes: limits.maxBytes * prunedPart, before: Number.NEGATIVE_INFINITY });
      }
      database.onCommit(() => this.#publish(key, batches));
    });
  }

  /** Wakes the log's readers in this process: another process may have committed lines. */
  async noteCommitted(key: string): Promise<void> {
    const recent = this.#recent.get(key);
    if (!recent) return;
    recent.lastSeq = Math.max(recent.lastSeq, await this.#deps.table.lastSeq(key));
    this.committed.publish(key);
  }

  protected now(): number {
    return this.#deps.clock.now();
  }

  lastSeq(key: string): Promise<number> {
    return this.#deps.table.lastSeq(key);
  }

  /** Ascending, at most `limit`; fewer when matches are so rare that another call must continue. */
  async read(key: string, query: LogQuery): Promise<LogFound<Line>> {
    const ascending = query.after !== undefined;
    const bounds = await this.#narrowed(key, query);
    const matches = recordMatcher<Line>(query);
    const records: RecordOf<Line>[] = [];
    let units = 0;
    let next: number | null = null;
    search: for await (const lines of ascending ? this.#pagesAfter(key, bounds) : this.pagesBefore(key, bounds)) {
      for (const line of lines) {
        const record = matches(line);
        if (record && records.length === query.limit) {
          next = records.at(-1)!.seq;
          break search;
        }
        if (record) records.push(record);
        units += line.length;
      }
      if (query.signal?.aborted) break;
      if (units < searchedUnits || lines.length === 0) continue;
      next = seqNumber(lines.at(-1)!);
      break;
    }
    return { records: ascending ? records : records.reverse(), next };
  }

  /** All matching lines up to the newest one at the call. Returns early when the signal aborts. */
  async *scan(key: string, query: Omit<LogQuery, 'limit'>): AsyncGenerator<LogPage<Line>, void> {
    const before = (await this.#deps.table.lastSeq(key)) + 1;
    const bounds = await this.#narrowed(key, { ...query, after: 0, before });
    const matches = recordMatcher<Line>(query);
    let offset = 0;
    for await (const lines of this.#pagesAfter(key, bounds)) {
      if (query.signal?.aborted) return;
      const [first, last] = [lines[0], lines.at(-1)];
      if (!first || !last) continue;
      const gap = await this.#deletedAfter(key, offset, seqNumber(first));
      offset = seqNumber(last);
      yield { gap, records: lines.map(matches).filter((record) => record !== null) };
    }
    const gap = await this.#deletedAfter(key, offset, bounds.before ?? before);
    if (gap) yield { gap, records: [] };
  }

  /**
   * Lines from `start` on until `signal` aborts. No line repeats, and a missing line is always
   * reported as a gap. The first batch is empty: its `last` is the line before the first one to
   * come. Later ones are empty when the filter removed all lines. Abort before abandoning the
   * iterator: it may be waiting for the next line.
   */
  async *tail(
    key: string,
    start: TailStart,
    { filter = {}, signal }: { filter?: LogFilter; signal: AbortSignal },
  ): AsyncGenerator<LogBatch | LogGap, void> {
    const recent = this.#openRecent(key);
    try {
      recent.lastSeq = Math.max(recent.lastSeq, await this.#deps.table.lastSeq(key));
      let offset = await this.#offsetOf(key, start, filter, recent.lastSeq);
      yield { kind: 'lines', first: offset + 1, last: offset, lines: [] };
      // A reader that starts far back may catch up; only one that falls behind is moved ahead.
      let maxLag = Math.max(maxLagLines, recent.lastSeq - offset);
      while (!signal.aborted) {
        const lag = recent.lastSeq - offset;
        if (lag <= 0) {
          await this.committed.next(key, signal);
          continue;
        }
        if (lag > maxLag) {
          const to = recent.lastSeq - resumeLines;
          yield { kind: 'gap', from: offset + 1, to, reason: 'slow_client' };
          offset = to;
          continue;
        }
        maxLag = Math.max(maxLagLines, Math.min(maxLag, lag));
        const known = recent.lastSeq;
        const batch = recent.after(offset) ?? (await this.#stored(key, offset));
        const next = batch ? batch.first : known + 1;
        if (next > offset + 1) yield { kind: 'gap', from: offset + 1, to: next - 1, reason: 'retention' };
        offset = batch ? batch.last : next - 1;
        if (batch) yield filtered(batch, filter);
      }
    } finally {
      this.#closeRecent(key, recent);
    }
  }

  /** Deletes lines over the limits, or over a fraction of the byte limit, in short steps. */
  async prune(key: string, part = 1): Promise<void> {
    const { table, limits, clock } = this.#deps;
    const before = clock.now() - limits.maxAgeDays * dayMs;
    const maxBytes = Math.floor(limits.maxBytes * part);
    while (await table.prune(key, { maxBytes, before })) await breathe();
  }

  #publish(key: string, batches: readonly LogBatch[]): void {
    const recent = this.#recent.get(key);
    if (recent) for (const batch of batches) recent.add(batch);
    this.committed.publish(key);
  }

  #openRecent(key: string): RecentLines {
    let recent = this.#recent.get(key);
    if (!recent) this.#recent.set(key, (recent = new RecentLines()));
    recent.readers++;
    return recent;
  }

  #closeRecent(key: string, recent: RecentLines): void {
    recent.readers--;
    if (recent.readers === 0) this.#recent.delete(key);
  }

  /** The next stored lines, few, because the reader may stall while holding them; null = none. */
  async #stored(key: string, offset: number): Promise<LogBatch | null> {
    const chunk = await this.#deps.table.chunkAfter(key, offset);
    if (!chunk) return null;
    const first = Math.max(chunk.firstSeq, offset + 1);
    return { kind: 'lines', first, last: chunk.lastSeq, lines: linesOf(chunk).slice(first - chunk.firstSeq) };
  }

  /** The sequence number after which a reader starts. */
  async #offsetOf(key: string, start: TailStart, filter: LogFilter, lastSeq: number): Promise<number> {
    if ('after' in start) return Math.min(start.after, lastSeq);
    const oldest = await this.#deps.table.oldestSeq(key);
    if (oldest === null) return lastSeq;
    if ('since' in start) return this.#offsetOfTime(key, start.since, lastSeq);
    if (start.tail === 0) return lastSeq;
    if (isEmpty(filter)) return Math.max(lastSeq - start.tail, oldest - 1);
    let missing = start.tail;
    let offset = lastSeq;
    for await (const lines of this.pagesBefore(key, { before: lastSeq + 1, filter })) {
      for (const line of lines) {
        if (!matchesFilter(line, filter)) continue;
        offset = seqNumber(line) - 1;
        if (--missing === 0) return offset;
      }
    }
    return offset;
  }

  /** Adds bounds of sequence numbers to a query by runs, so that other runs are not read. */
  async #narrowed(key: string, query: Partial<LogQuery>): Promise<Partial<LogQuery>> {
    const { firstRun, lastRun } = query.filter ?? {};
    const bounds = { ...query };
    if (firstRun !== undefined) {
      bounds.after = Math.max(query.after ?? 0, (await this.#startOfRun(key, firstRun)) - 1);
    }
    if (lastRun !== undefined) {
      const end = await this.#startOfRun(key, lastRun + 1);
      bounds.before = Math.min(query.before ?? end, end);
    }
    return bounds;
  }

  /** Number of the first line of this run or a later one; within a log, runs only increase. */
  async #startOfRun(key: string, run: number): Promise<number> {
    const { table } = this.#deps;
    let high = (await table.lastSeq(key)) + 1;
    let low = (await table.oldestSeq(key)) ?? high;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [chunk] = await table.pageAfter(key, middle - 1);
      const line = chunk && linesOf(chunk)[Math.max(0, middle - chunk.firstSeq)];
      if (line !== undefined && decodeLine(line).run < run) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Lines between two offsets of a reader that were deleted; null when none were skipped. */
  async #deletedAfter(key: string, offset: number, next: number): Promise<LogGap | null> {
    if (offset === 0 || next <= offset + 1) return null;
    const oldest = (await this.#deps.table.oldestSeq(key)) ?? next;
    const to = Math.min(oldest, next) - 1;
    return to > offset ? { kind: 'gap', from: offset + 1, to, reason: 'retention' } : null;
  }

  async #offsetOfTime(key: string, since: number, lastSeq: number): Promise<number> {
    const sinceText = new Date(since).toISOString();
    for await (const lines of this.#pagesAfter(key, { after: 0, since })) {
      const first = lines.find((line) => timeOf(line) >= sinceText);
      if (first) return Math.min(seqNumber(first) - 1, lastSeq);
    }
    return lastSeq;
  }

  /** Pages of lines, ascending, within the query's bounds. */
  async *#pagesAfter(key: string, query: Partial<LogQuery>): AsyncGenerator<string[], void> {
    let offset = query.after ?? 0;
    for (;;) {
      const chunks = await this.#deps.table.pageAfter(key, offset, query);
      const [oldest, newest] = [chunks[0], chunks.at(-1)];
      if (!oldest || !newest) return;
      // A chunk that grew since the previous page starts with lines of that page.
      const after = oldest.firstSeq > offset ? undefined : offset;
      yield chunks.flatMap(linesOf).filter(within({ after, before: query.before }));
      offset = newest.lastSeq;
      if (query.before !== undefined && offset >= query.before - 1) return;
      await breathe();
    }
  }

  /** Pages of lines, descending, within the query's bounds. */
  async *pagesBefore(key: string, query: Partial<LogQuery>): AsyncGenerator<string[], void> {
    let offset = query.before ?? Number.MAX_SAFE_INTEGER;
    for (;;) {
      const chunks = await this.#deps.table.pageBefore(key, offset, query);
      const oldest = chunks.at(-1);
      if (!oldest) return;
      yield chunks.flatMap((chunk) => linesOf(chunk).reverse()).filter(within(query));
      offset = oldest.firstSeq;
      if (offset <= (query.after ?? 0) + 1) return;
      if (query.filter?.firstRun !== undefined && decodeLine(linesOf(oldest)[0]!).run < query.filter.firstRun) return;
      await breathe();
    }
  }
}

function linesOf(chunk: LogChunk): string[] {
  return chunk.body.split('\n');
}

function seqNumber(line: string): number {
  return Number(seqOf(line));
}

function within({ after, before }: Partial<LogQuery>): (line: string) => boolean {
  if (after === undefined && before === undefined) return () => true;
  const [low, high] = [after ?? 0, before ?? Number.POSITIVE_INFINITY];
  return (line) => {
    const seq = seqNumber(line);
    return seq > low && seq < high;
  };
}

/** Decodes the lines that the query matches; returns null for others. */
function recordMatcher<Line extends LogLine>({
  since,
  until,
  contains,
  filter = {},
}: Partial<LogQuery>): (line: string) => RecordOf<Line> | null {
  const sinceText = since === undefined ? '' : new Date(since).toISOString();
  const untilText = until === undefined ? '~' : new Date(until).toISOString();
  const wanted = contains?.toLowerCase();
  // Words of these characters appear unescaped in the document, so most lines need not be decoded.
  const words = wanted !== undefined && /^[ !#-[\]-~]*$/.test(wanted) ? wanted.split(' ') : [];
  return (line) => {
    const time = timeOf(line);
    if (time < sinceText || time > untilText || !matchesFilter(line, filter)) return null;
    if (words.length > 0 && !hasAll(line.toLowerCase(), words)) return null;
    const record = decodeLine<Line>(line);
    if (wanted === undefined) return record;
    return searchedText(record)?.toLowerCase().includes(wanted) ? record : null;
  };
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function filtered(batch: LogBatch, filter: LogFilter): LogBatch {
  if (isEmpty(filter)) return batch;
  return { ...batch, lines: batch.lines.filter((line) => matchesFilter(line, filter)) };
}

function isEmpty(filter: LogFilter): boolean {
  return Object.values(filter).every((bound) => bound === undefined);
}

/** Splits encoded lines into batches, each of which becomes a chunk. */
function batchesOf(firstSeq: number, lines: readonly string[]): LogBatch[] {
  const batches: LogBatch[] = [];
  for (let start = 0; start < lines.length; ) {
    let units = 0;
    let end = start;
    while (end < lines.length && units < chunkUnits) units += lines[end++]!.length;
    batches.push({ kind: 'lines', first: firstSeq + start, last: firstSeq + end - 1, lines: lines.slice(start, end) });
    start = end;
  }
  return batches;
}

function chunkOf({ first, last, lines }: LogBatch): LogChunk {
  const [earliest, latest] = timesOf(lines);
  return {
    firstSeq: first,
    lastSeq: last,
    firstAt: Date.parse(earliest),
    lastAt: Date.parse(latest),
    body: lines.join('\n'),
  };
}

/** Earliest and latest time of some lines, which need not be ordered by time. */
function timesOf(lines: readonly string[]): [string, string] {
  let earliest = timeOf(lines[0]!);
  let latest = earliest;
  for (const line of lines) {
    const time = timeOf(line);
    if (time < earliest) earliest = time;
    else if (time > latest) latest = time;
  }
  return [earliest, latest];
}

/** Yields to the event loop. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
