// Botel's own log for terminals: one short line per record; other destinations get JSON.
import type { DestinationStream } from 'pino';

const levelNames: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const ownFields = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/** Formats one record of the log (a JSON line) as text without newline. */
export function plainLine(record: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(record) as {
    level: number;
    time: number;
    msg: string;
    err?: { message: string };
  };
  const fields = Object.entries(rest).filter(([key]) => !ownFields.has(key));
  const parts = [new Date(time).toTimeString().slice(0, 8), levelNames[level] ?? String(level), msg];
  for (const [key, value] of fields) parts.push(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  if (err) parts.push(`(${err.message})`);
  return parts.join(' ');
}

/** A pino destination that writes plain lines to standard error. */
export const plainLog: DestinationStream = {
  write(record: string) {
    process.stderr.write(`${plainLine(record)}\n`);
  },
};
