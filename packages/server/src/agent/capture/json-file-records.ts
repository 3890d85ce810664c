// Parses json-file lines into log entries. Pure; an invalid line is counted, never thrown.
import { type LogDropped, type LogEntry, splitText } from '../../core/domain/log-line.ts';

/** One record of the engine: `log` ends in \n unless the line continues in the next record. */
interface JsonFileRecord {
  log: string;
  stream: 'stdout' | 'stderr';
  time: string;
}

/** Entries of complete json-file lines. `now` (ISO 8601): the time of those without one. */
export function entriesOf(lines: string, run: number, now: string): LogEntry[] {
  const entries: LogEntry[] = [];
  let damaged: LogDropped | null = null;
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const record = parseRecord(line);
    if (record) {
      addEntries(entries, record, run);
      damaged = null;
    } else if (damaged?.count) {
      damaged.count++;
    } else {
      damaged = lostEntry(run, entries.at(-1)?.ts ?? now, 1);
      entries.push(damaged);
    }
  }
  return entries;
}

/** A record of lost lines of the source; `count` null = unknown. */
export function lostEntry(run: number, ts: string, count: number | null): LogDropped {
  return { ts, run, dropped: true, count, reason: 'source_lost' };
}

function parseRecord(line: string): JsonFileRecord | null {
  let record: Partial<JsonFileRecord> | null;
  try {
    record = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof record?.log !== 'string' || typeof record.time !== 'string') return null;
  if (record.stream !== 'stdout' && record.stream !== 'stderr') return null;
  const time = toMilliseconds(record.time);
  return time === null ? null : { log: record.log, stream: record.stream, time };
}

const preciseTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\d*Z$/;

/** The engine writes up to nine digits of the second and omits trailing zeros. */
function toMilliseconds(time: string): string | null {
  if (preciseTime.test(time)) return `${time.slice(0, 23)}Z`;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function addEntries(entries: LogEntry[], { log, stream, time }: JsonFileRecord, run: number): void {
  const complete = log.endsWith('\n');
  const pieces = splitText(lastState(complete ? log.slice(0, -1) : log));
  pieces.forEach((text, index) => {
    entries.push({ ts: time, run, stream, text, partial: !complete || index < pieces.length - 1 });
  });
}

/** What a terminal would show of a line rewritten by carriage returns. */
function lastState(text: string): string {
  if (!text.includes('\r')) return text;
  let end = text.length;
  while (end > 0 && text[end - 1] === '\r') end--;
  return text.slice(text.lastIndexOf('\r', end - 1) + 1, end);
}
