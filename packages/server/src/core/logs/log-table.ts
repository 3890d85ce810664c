// The database interface of the logs layer, which the store satisfies without an import.

/** Consecutive lines. `firstAt` and `lastAt` are their earliest and latest time (ms). */
export interface LogChunk {
  firstSeq: number;
  lastSeq: number;
  firstAt: number;
  lastAt: number;
  /** Encoded lines separated by \n. */
  body: string;
}

/** Chunks without lines in `since <= time <= until` (ms) may be omitted. */
interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

/** Keys are ids of bots or apps. */
export interface LineTable {
  /** Sequence number of the newest line; 0 when there never was one. */
  lastSeq(key: string): Promise<number>;
  /** Sequence number of the oldest kept line; null when there is none. */
  oldestSeq(key: string): Promise<number | null>;
  /**
   * Allocates `count` sequence numbers and stores the chunks that `encode` returns for the first,
   * in one transaction (the caller's, if any). Returns the log's total bytes.
   */
  append(key: string, count: number, encode: (firstSeq: number) => LogChunk[]): Promise<number>;
  /** The first chunk with lines after `seq`; null when there is none. */
  chunkAfter(key: string, seq: number): Promise<LogChunk | null>;
  /** About a page of chunks with lines after `seq`, ascending; [] when there are none. */
  pageAfter(key: string, seq: number, range?: TimeRange): Promise<LogChunk[]>;
  /** About a page of chunks with lines before `seq`, descending; [] when there are none. */
  pageBefore(key: string, seq: number, range?: TimeRange): Promise<LogChunk[]>;
  /**
   * Deletes a bounded number of the oldest chunks: those beyond `maxBytes`, and those wholly before
   * `before` (ms). True when more remain.
   */
  prune(key: string, limits: { maxBytes: number; before: number }): Promise<boolean>;
}

/** The table of bots' output, and how much of it was read. */
export interface LogTable extends LineTable {
  /** How much of a run's source was read; null before the first read. */
  cursor(botId: string, run: number): Promise<{ containerId: string; cursor: string } | null>;
  /** Replaces a run's cursor; deletes the cursors of older runs, except the previous one's. */
  saveCursor(botId: string, run: number, cursor: { containerId: string; cursor: string }): Promise<void>;
}

/** Transactions of the table's database. */
export interface LogDatabase {
  /** Runs `work` in one transaction, or in the one that runs already. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `hook` after the running transaction commits, never after a rollback. */
  onCommit(hook: () => void): void;
}
