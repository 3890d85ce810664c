// Batches of lines for readers, and the recent lines of a log with readers. In memory, bounded.
import type { LogGapReason } from '@botel/contract/vocabulary';

/** Encoded lines, ascending; consecutive unless filtered. All readers share one object. */
export interface LogBatch {
  kind: 'lines';
  first: number;
  last: number;
  lines: readonly string[];
}

/** Sequence numbers that are not sent, inclusive. */
export interface LogGap {
  kind: 'gap';
  from: number;
  to: number;
  reason: LogGapReason;
}

/** UTF-16 units of lines kept per bot. */
const keptUnits = 1024 * 1024;

/** The newest lines of a bot with readers: those that keep up need no query. */
export class RecentLines {
  /** Newest sequence number known to be committed. */
  lastSeq = 0;
  readers = 0;
  #batches: { batch: LogBatch; units: number }[] = [];
  #units = 0;

  add(batch: LogBatch): void {
    const newest = this.#batches.at(-1)?.batch.last ?? this.lastSeq;
    // Notifications may be reordered or begin late; a hole only makes readers query the table.
    if (batch.first !== newest + 1) this.#clear();
    this.lastSeq = Math.max(this.lastSeq, batch.last);
    const units = batch.lines.reduce((sum, line) => sum + line.length, 0);
    this.#batches.push({ batch, units });
    this.#units += units;
    while (this.#units > keptUnits) this.#units -= this.#batches.shift()?.units ?? 0;
  }

  /** The batch after `seq`, cut to start there; null when it is not in memory. */
  after(seq: number): LogBatch | null {
    for (const { batch } of this.#batches) {
      if (batch.first > seq + 1) return null;
      if (batch.last <= seq) continue;
      if (batch.first === seq + 1) return batch;
      return { kind: 'lines', first: seq + 1, last: batch.last, lines: batch.lines.slice(seq + 1 - batch.first) };
    }
    return null;
  }

  #clear(): void {
    this.#batches = [];
    this.#units = 0;
  }
}
