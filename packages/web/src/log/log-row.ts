// A row of the log panel: a line, a note about missing lines, or a gap that history can fill. Pure.
import type { LogDroppedData, LogTextData } from '@botel/contract/logs';
import type { LogGapReason } from '@botel/contract/vocabulary';

/** A line as the server stored it. */
export interface LineRow {
  kind: 'line';
  seq: number;
  ts: string;
  run: number;
  stream: LogTextData['stream'];
  text: string;
  /** The line goes on in the next row of its stream. */
  partial: boolean;
}

/** Lines that were never stored; `count` null = unknown. */
export interface DroppedRow {
  kind: 'dropped';
  seq: number;
  ts: string;
  run: number;
  count: number | null;
  reason: LogDroppedData['reason'];
}

/**
 * Missing lines from `seq` to `to`. `retention`: deleted on the server; else they can be loaded.
 */
export interface GapRow {
  kind: 'gap';
  seq: number;
  to: number;
  reason: LogGapReason | 'skipped';
}

export type LogRow = LineRow | DroppedRow | GapRow;

export function rowOf(data: LogTextData | LogDroppedData): LineRow | DroppedRow {
  const { seq, ts, run } = data;
  if ('dropped' in data) return { kind: 'dropped', seq, ts, run, count: data.count, reason: data.reason };
  return { kind: 'line', seq, ts, run, stream: data.stream, text: data.text, partial: data.partial };
}

/** Sequence number after which the next row comes. */
export function endOf(row: LogRow): number {
  return row.kind === 'gap' ? row.to : row.seq;
}
