// Botel's own log for people: one short line per record instead of JSON. For terminals; everything
// else gets JSON.
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

/** One record of the log (a JSON line) as a line of text without its newline. */
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

/** A destination for pino that writes plain lines to standard error. */
export const plainLog: DestinationStream = {
  write(record: string) {
    process.stderr.write(`${plainLine(record)}\n`);
  },
};
