// Which log rows are shown, and which of those match the search. Pure.
import { lastState, visibleText } from './ansi.ts';
import { hitRanges } from './drawn-line.ts';
import { type LogLevel, levelOf } from './log-level.ts';
import type { LogChunk } from './line-store.ts';
import type { LineRow, LogRow } from './log-row.ts';

/** null = all. `level`: this one and above. */
export interface LogFilter {
  stream: LineRow['stream'] | null;
  run: number | null;
  level: LogLevel | null;
}

export const noFilter: LogFilter = { stream: null, run: null, level: null };

export function isFiltered({ stream, run, level }: LogFilter): boolean {
  return stream !== null || run !== null || level !== null;
}

const gravity: Record<LogLevel, number> = { error: 3, warn: 2, info: 1, debug: 0 };
const levels = new WeakMap<LogRow, LogLevel | null>();
const texts = new WeakMap<LogRow, string>();

/** The level that a line declares, found once. */
export function levelOfRow(row: LineRow): LogLevel | null {
  let level = levels.get(row);
  if (level === undefined) {
    level = levelOf(row.text);
    levels.set(row, level);
  }
  return level;
}

/** What can be seen of a line, found once. */
function textOfRow(row: LineRow): string {
  let text = texts.get(row);
  if (text === undefined) {
    text = visibleText(lastState(row.text));
    texts.set(row, text);
  }
  return text;
}

/** Rows about missing lines match every stream and level. */
export function passes(row: LogRow, filter: LogFilter): boolean {
  if (row.kind === 'gap') return true;
  if (filter.run !== null && row.run !== filter.run) return false;
  if (row.kind === 'dropped') return true;
  if (filter.stream !== null && row.stream !== filter.stream) return false;
  if (filter.level === null) return true;
  const level = levelOfRow(row);
  return level !== null && gravity[level] >= gravity[filter.level];
}

/** Sequence numbers of the rows that are shown and hold what is searched for, ascending. */
export function findInChunk(chunk: LogChunk, filter: LogFilter, wanted: string): number[] {
  const found: number[] = [];
  for (const row of chunk.rows)
    if (row.kind === 'line' && passes(row, filter) && hitRanges(textOfRow(row), wanted).length > 0) found.push(row.seq);
  return found;
}

/** Runs of the rows, ascending. */
export function runsOf(chunks: readonly LogChunk[]): number[] {
  const runs = new Set<number>();
  for (const chunk of chunks) for (const row of chunk.rows) if (row.kind !== 'gap') runs.add(row.run);
  return [...runs].sort((one, other) => one - other);
}

/** The rows as they can be copied or saved: one line each, without colours. */
export function rowsAsText(rows: readonly LogRow[]): string {
  return rows.flatMap((row) => (row.kind === 'line' ? `${textOfRow(row)}\n` : [])).join('');
}

/** The rows as JSON, one document per line, as the bot wrote them. */
export function rowsAsJsonLines(rows: readonly LogRow[]): string {
  return rows
    .flatMap((row) => {
      if (row.kind !== 'line') return [];
      const { seq, ts, run, stream, text, partial } = row;
      return `${JSON.stringify({ seq, ts, run, stream, text, partial })}\n`;
    })
    .join('');
}
