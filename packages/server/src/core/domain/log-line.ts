// A log line, of a bot's output or a request to an app: a JSON document, encoded once. Pure.
import type { LogDropReason, LogStream } from '@botel/contract/vocabulary';

/** Output (`build`: of the build), or of Botel (`system`). `ts` is ISO 8601 in UTC with ms. */
export interface LogText {
  ts: string;
  run: number;
  stream: LogStream;
  text: string;
  /** The line continues in the next record of its stream. */
  partial: boolean;
}

/** Lines that were never stored; `count` null = unknown. */
export interface LogDropped {
  ts: string;
  run: number;
  dropped: true;
  count: number | null;
  reason: LogDropReason;
}

/** A request to an app, as served. `ts`: its end; `run`: of the bot that answered, 0 = none. */
export interface AccessLine {
  ts: string;
  run: number;
  method: string;
  /** Without the query; very long paths are cut. */
  path: string;
  /** Status sent to the client; 0 = the client left before an answer, 101 = protocol upgrade. */
  status: number;
  ms: number;
  /** Body bytes. */
  bytes_in: number;
  bytes_out: number;
  /** IP address of the client. */
  address: string;
}

/** Log entries other than dropped records. */
export type LogLine = LogText | AccessLine;
export type EntryOf<Line extends LogLine> = Line | LogDropped;
export type RecordOf<Line extends LogLine> = EntryOf<Line> & { seq: number };
export type LogEntry = EntryOf<LogText>;
/** An entry with its sequence number in the log, from 1, without gaps. */
export type LogRecord = RecordOf<LogText>;

/** Absent = all. Runs are inclusive bounds; a dropped record matches every stream. */
export interface LogFilter {
  stream?: LogStream | undefined;
  firstRun?: number | undefined;
  lastRun?: number | undefined;
}

/** Maximum text of a line, in bytes of UTF-8. */
export const maxTextBytes = 16_384;

const seqAt = '{"seq":'.length;
const afterTs = ',"ts":"2026-01-31T12:00:00.000Z","run":'.length;

/** Encodes a line, without newline. The functions below rely on the order of its fields. */
export function encodeLine(seq: number, entry: EntryOf<LogLine>): string {
  const head = `{"seq":${seq},"ts":"${entry.ts}","run":${entry.run},`;
  if ('dropped' in entry) return `${head}"dropped":true,"count":${entry.count},"reason":"${entry.reason}"}`;
  if ('method' in entry) {
    const { method, path, status, ms, bytes_in, bytes_out, address } = entry;
    return head + JSON.stringify({ method, path, status, ms, bytes_in, bytes_out, address }).slice(1);
  }
  return `${head}"stream":"${entry.stream}","text":${JSON.stringify(entry.text)},"partial":${entry.partial}}`;
}

export function decodeLine<Line extends LogLine = LogText>(line: string): RecordOf<Line> {
  return JSON.parse(line) as RecordOf<Line>;
}

/** The searchable text; null = none. */
export function searchedText(record: EntryOf<LogLine>): string | null {
  if ('text' in record) return record.text;
  return 'method' in record ? `${record.method} ${record.path} ${record.status} ${record.address}` : null;
}

/** Sequence number of an encoded line, as digits. */
export function seqOf(line: string): string {
  return line.slice(seqAt, line.indexOf(',', seqAt));
}

/** Time of an encoded line (ISO 8601). */
export function timeOf(line: string): string {
  const start = line.indexOf(',', seqAt) + ',"ts":"'.length;
  return line.slice(start, start + 24);
}

/** Whether an encoded line is a dropped record. */
export function isDropped(line: string): boolean {
  const runAt = line.indexOf(',', seqAt) + afterTs;
  return line.startsWith(',"dropped"', line.indexOf(',', runAt));
}

/** Whether an encoded line passes the filter. */
export function matchesFilter(line: string, filter: LogFilter): boolean {
  const runAt = line.indexOf(',', seqAt) + afterTs;
  const runEnd = line.indexOf(',', runAt);
  const run = Number(line.slice(runAt, runEnd));
  if (filter.firstRun !== undefined && run < filter.firstRun) return false;
  if (filter.lastRun !== undefined && run > filter.lastRun) return false;
  if (filter.stream === undefined || line.startsWith(',"dropped"', runEnd)) return true;
  return line.startsWith(`,"stream":"${filter.stream}"`, runEnd);
}

/** Cuts a text into pieces of at most `maxTextBytes`, never inside a character. */
export function splitText(text: string): string[] {
  // A UTF-16 unit takes at most 3 bytes.
  if (text.length * 3 <= maxTextBytes || Buffer.byteLength(text) <= maxTextBytes) return [text];
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + maxTextBytes, bytes.length);
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}
