// Formats numbers and times in the user's language. Pure: the language is passed in.

const made = new Map<string, unknown>();

/** Creating a formatter takes a hundred times longer than using it. */
function formatter<F, O>(Format: new (language: string, options: O) => F, language: string, options: O): F {
  const key = `${Format.name} ${language} ${JSON.stringify(options)}`;
  let found = made.get(key) as F | undefined;
  if (!found) {
    found = new Format(language, options);
    made.set(key, found);
  }
  return found;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in its two largest units: `2 h 5 min`. Negative counts as 0. */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(seconds));
  const units: [number, string][] = [
    [day, 'day'],
    [hour, 'hour'],
    [minute, 'minute'],
    [1, 'second'],
  ];
  const first = units.findIndex(([size]) => whole >= size);
  if (first === -1) return formatUnit(0, 'second', language);
  const parts: string[] = [];
  let rest = whole;
  for (const [size, unit] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(formatUnit(count, unit, language));
  }
  return parts.join(' ');
}

function formatUnit(count: number, unit: string, language: string): string {
  return formatter(Intl.NumberFormat, language, { style: 'unit', unit, unitDisplay: 'narrow' }).format(count);
}

/** A short duration: `240 ms`, `1.3 s`. */
export function formatMs(ms: number, language: string): string {
  const [value, unit, digits] = ms < 1000 ? [ms, 'millisecond', 0] : [ms / 1000, 'second', 1];
  return formatter(Intl.NumberFormat, language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(value);
}

/** `3 minutes ago`, `in 40 seconds`. Times in ms. */
export function formatAgo(at: number, now: number, language: string): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  const format = formatter(Intl.RelativeTimeFormat, language, { numeric: 'auto', style: 'short' });
  if (size < minute) return format.format(seconds, 'second');
  if (size < hour) return format.format(Math.round(seconds / minute), 'minute');
  if (size < 2 * day) return format.format(Math.round(seconds / hour), 'hour');
  return format.format(Math.round(seconds / day), 'day');
}

export function formatMoment(at: number, language: string): string {
  return formatter(Intl.DateTimeFormat, language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

/** Bytes in a fitting unit, named as in the API, where MB is MiB: `1.6 MB`. */
export function formatBytes(bytes: number, language: string): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = formatter(Intl.NumberFormat, language, { maximumFractionDigits: power === 0 ? 0 : 1 });
  return `${number.format(bytes / 1024 ** power)} ${units[power]}`;
}

export function formatNumber(value: number, language: string, digits = 0): string {
  return formatter(Intl.NumberFormat, language, { maximumFractionDigits: digits }).format(value);
}

export function formatPercent(percent: number, language: string, digits = 0): string {
  return formatter(Intl.NumberFormat, language, { style: 'percent', maximumFractionDigits: digits }).format(
    percent / 100,
  );
}
