// Log lines as download files: plain text, or one JSON document per line.
import type { LogLine, RecordOf } from '../../core/domain/log-line.ts';

/** Consecutive lines; `gap`: lines before this page that were deleted before they could be read. */
interface LogPage {
  gap: { from: number; to: number; reason: string } | null;
  records: RecordOf<LogLine>[];
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

function textOf(record: RecordOf<LogLine>): string {
  if ('text' in record) return `${record.ts} ${record.stream} ${record.text}\n`;
  if ('method' in record) {
    const { ts, address, method, path, status, ms, bytes_in, bytes_out } = record;
    return `${ts} ${address} ${method} ${path} ${status} ${ms} ms ${bytes_in} in ${bytes_out} out\n`;
  }
  const lines = record.count === null ? 'some lines' : record.count === 1 ? '1 line' : `${record.count} lines`;
  return `# ${record.ts} ${lines} not stored: ${record.reason}\n`;
}
