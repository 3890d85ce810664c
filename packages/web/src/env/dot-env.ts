// Reads and writes `.env` files the way dotenv does. What was written reads back unchanged. Pure.

/**
 * `line` counts from 1. `fault`: it has no `=`, or a quote that is never closed (then the value is
 * the rest of the line).
 */
export interface DotEnvEntry {
  key: string;
  value: string;
  line: number;
  fault: 'no_equals' | 'open_quote' | null;
}

const quotes = ['"', "'", '`'];
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', $: '$' };

/** Every variable of a file, in order; comments and empty lines are left out. */
export function parseDotEnv(text: string): DotEnvEntry[] {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const entries: DotEnvEntry[] = [];
  let line = 1;
  for (let at = 0; at < source.length; ) {
    const { entry, end } = readEntry(source, at);
    if (entry) entries.push({ ...entry, line });
    line += source.slice(at, end).split('\n').length - 1;
    at = end;
  }
  return entries;
}

type Read = { entry: Omit<DotEnvEntry, 'line'> | null; end: number };

/** The entry of the line that begins at `at`; `end` is where the next line begins. */
function readEntry(source: string, at: number): Read {
  const lineEnd = endOfLine(source, at);
  const line = source.slice(at, lineEnd);
  const trimmed = line.trim();
  const next = Math.min(lineEnd + 1, source.length);
  if (trimmed === '' || trimmed.startsWith('#')) return { entry: null, end: next };
  const equals = line.indexOf('=');
  if (equals < 0) return { entry: { key: trimmed, value: '', fault: 'no_equals' }, end: next };
  const key = line
    .slice(0, equals)
    .trim()
    .replace(/^export\s+/, '');
  const valueAt = at + equals + 1 + /^[ \t]*/.exec(line.slice(equals + 1))![0].length;
  const quote = source[valueAt] ?? '';
  if (quotes.includes(quote)) {
    const close = closingQuote(source, valueAt);
    if (close < 0)
      return { entry: { key, value: source.slice(valueAt, lineEnd).trimEnd(), fault: 'open_quote' }, end: next };
    const inside = source.slice(valueAt + 1, close);
    return {
      entry: { key, value: quote === '"' ? unescape(inside) : inside, fault: null },
      end: Math.min(endOfLine(source, close) + 1, source.length),
    };
  }
  const value = source
    .slice(valueAt, lineEnd)
    .replace(/(^|\s)#.*$/, '')
    .trim();
  return { entry: { key, value, fault: null }, end: next };
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end;
}

/** The closing quote for the one at `at`; only a comment may follow it. -1 = none. */
function closingQuote(source: string, at: number): number {
  const quote = source[at];
  for (let index = at + 1; index < source.length; index++) {
    if (quote === '"' && source[index] === '\\') index++;
    else if (source[index] === quote)
      return /^[ \t]*(#.*)?$/.test(source.slice(index + 1, endOfLine(source, index))) ? index : -1;
  }
  return -1;
}

function unescape(text: string): string {
  return text.replace(/\\([nrt\\"$])/g, (_, letter: string) => escapes[letter]!);
}

/** A file with these variables. Values are quoted only if needed. */
export function printDotEnv(variables: Iterable<readonly [key: string, value: string]>): string {
  return Array.from(variables, ([key, value]) => `${key}=${printValue(value)}\n`).join('');
}

function printValue(value: string): string {
  if (/^[^\s#"'`\\$](?:[^\s#\\$]*[^\s#\\$])?$|^$/.test(value)) return value;
  // Readable without knowing escapes, where one line can hold the value.
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  const escaped = value
    .replace(/[\\"$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `"${escaped}"`;
}
