// Writes stored log lines as files to be kept: plain text, or one JSON document per line. What is not the program's own
// output is marked so in both. Must not know where lines come from.
import type { LogRecord } from '../domain/log-line.ts';

/** Consecutive lines; `gap`: those between the page before and this one that were deleted before they could be read. */
interface LogPage {
  gap: { from: number; to: number; reason: string } | null;
  records: LogRecord[];
}

export interface LogFileFormat {
  mediaType: string;
  extension: string;
  write(page: LogPage): string;
}

const txt: LogFileFormat = {
  mediaType: 'text/plain; charset=utf-8',
  extension: 'txt',
  write({ gap, records }) {
    const lost = gap ? `# lines ${gap.from} to ${gap.to} were deleted before they could be read\n` : '';
    return lost + records.map(textOf).join('');
  },
};

const ndjson: LogFileFormat = {
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  write({ gap, records }) {
    const lost = gap ? `${JSON.stringify({ gap: true, from: gap.from, to: gap.to, reason: gap.reason })}\n` : '';
    return lost + records.map((record) => `${JSON.stringify(record)}\n`).join('');
  },
};

export const logFileFormats: Record<'txt' | 'ndjson', LogFileFormat> = { txt, ndjson };

function textOf(record: LogRecord): string {
  if ('text' in record) return `${record.ts} ${record.stream} ${record.text}\n`;
  const lines = record.count === null ? 'some lines' : record.count === 1 ? '1 line' : `${record.count} lines`;
  return `# ${record.ts} ${lines} not stored: ${record.reason}\n`;
}
