// Timestamps of log lines. Pure: language and current time are passed in.
import { formatAgo } from '../lib/format.ts';

export const stampModes = ['local', 'utc', 'relative', 'off'] as const;
export type StampMode = (typeof stampModes)[number];

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The time of a line (ISO 8601 in UTC) as it stands beside it; '' = none. `now` in ms, for relative
 * times.
 */
export function stampOf(ts: string, mode: StampMode, language: string, now: number): string {
  switch (mode) {
    case 'off':
      return '';
    case 'utc':
      return ts.slice(11, 23);
    case 'local':
      return clockTime(language).format(Date.parse(ts));
    case 'relative':
      return formatAgo(Math.min(Date.parse(ts), now), now, language);
  }
}

/** One format per language: creating one costs more than using it a thousand times. */
function clockTime(language: string): Intl.DateTimeFormat {
  let format = formats.get(language);
  if (!format) {
    format = new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hourCycle: 'h23',
    });
    formats.set(language, format);
  }
  return format;
}
