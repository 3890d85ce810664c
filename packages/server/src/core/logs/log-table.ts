// What the logs layer needs of the database: a structural interface, so that it need not import the
// store. core/store/line-chunks.ts, core/store/log-chunks.ts and core/store/database.ts satisfy it.

/** Consecutive lines. Times are ms since the epoch; `firstAt` and `lastAt` are the least and the
 * highest one. */
export interface LogChunk {
  firstSeq: number;
  lastSeq: number;
  firstAt: number;
  lastAt: number;
  /** Encoded lines with \n between them. */
  body: string;
}

/** Chunks may be left out that have no line in `since <= time <= until` (ms). */
interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

/** Keys are ids of bots, or of apps. */
export interface LineTable {
  /** Sequence number of the newest line; 0 when it never had one. */
  lastSeq(key: string): Promise<number>;
  /** Sequence number of the oldest line that is still kept; null when there is none. */
  oldestSeq(key: string): Promise<number | null>;
  /**
   * Takes the next `count` sequence numbers and stores the chunks that `encode` makes of the first
   * one. All in one transaction (the caller's, if one runs). Returns the bytes that the log now
   * has.
   */
  append(key: string, count: number, encode: (firstSeq: number) => LogChunk[]): Promise<number>;
  /** The first chunk with lines after `seq`; null when there is none. */
  chunkAfter(key: string, seq: number): Promise<LogChunk | null>;
  /** Chunks with lines after `seq`, ascending, about `pageBytes` of them; [] when there are
   * none. */
  pageAfter(key: string, seq: number, range?: TimeRange): Promise<LogChunk[]>;
  /** Chunks with lines before `seq`, descending, about `pageBytes` of them; [] when there are
   * none. */
  pageBefore(key: string, seq: number, range?: TimeRange): Promise<LogChunk[]>;
  /**
   * Deletes oldest chunks: while the log has more than `maxBytes`, and those with no line at or
   * after `before` (ms). Deletes a bounded number per call; true when there is more to delete.
   */
  prune(key: string, limits: { maxBytes: number; before: number }): Promise<boolean>;
}

/** A table of the output of bots, with how far it was read. */
export interface LogTable extends LineTable {
  /** How far a run's source was read; null when it was not. */
  cursor(botId: string, run: number): Promise<{ containerId: string; cursor: string } | null>;
  /** Replaces a run's cursor and forgets those of runs before the one before it. */
  saveCursor(botId: string, run: number, cursor: { containerId: string; cursor: string }): Promise<void>;
}

/** Transactions of the database that the table is in. */
export interface LogDatabase {
  /** Runs `work` in one transaction, or in the one that runs already. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `hook` after the running transaction was committed, never when it rolls back. */
  onCommit(hook: () => void): void;
}
