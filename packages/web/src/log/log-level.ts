// The level a line declares: JSON `level` or `severity`, logfmt, or a capitalised word where
// loggers put it. Never guessed from the message. Pure.
import { visibleText } from './ansi.ts';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const words: Record<string, LogLevel> = {
  fatal: 'error',
  critical: 'error',
  crit: 'error',
  panic: 'error',
  severe: 'error',
  alert: 'error',
  emerg: 'error',
  error: 'error',
  err: 'error',
  warning: 'warn',
  warn: 'warn',
  notice: 'info',
  info: 'info',
  information: 'info',
  debug: 'debug',
  trace: 'debug',
  verbose: 'debug',
  fine: 'debug',
};

/** How far into a line a level is searched for. */
const headLength = 160;

/** `[ERROR]`, `[error]`, `[2026-01-31T12:00:00Z ERROR bot]` */
const inBrackets = /\[(?:[^\]\s]+\s+)?([A-Za-z]+)\s*(?:\s[^\]]*)?\]/g;
/**
 * `ERROR:name:text` and `ERROR name: text` of Python, `12:00:00.123 [main] ERROR text` of Java, `
 * WARN bot: text` of Rust
 */
const inCapitals = /^(?:[\d\-:.,TZ+/ ]*|\S+ ?\[[^\]]*\] ?|[\d\-:.,TZ+/ ]*\[[^\]]*\] ?)([A-Z]{3,8})(?=[:\s])/;
const inLogfmt = /(?:^|\s)(?:level|lvl|severity)="?([A-Za-z]+)"?(?=\s|$)/;

/** The level of a line as the bot wrote it, null when it declares none. */
export function levelOf(line: string): LogLevel | null {
  const text = visibleText(line.slice(0, 4 * headLength));
  if (text.startsWith('{')) return levelOfJson(line);
  const head = text.slice(0, headLength);
  const logfmt = inLogfmt.exec(text)?.[1];
  if (logfmt !== undefined) return word(logfmt);
  for (const [, found = ''] of head.matchAll(inBrackets)) {
    const level = word(found);
    if (level) return level;
  }
  return word(inCapitals.exec(head)?.[1] ?? '');
}

function levelOfJson(line: string): LogLevel | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { level, severity } = value as { level?: unknown; severity?: unknown };
  const declared = level ?? severity;
  if (typeof declared === 'string') return word(declared);
  if (typeof declared !== 'number') return null;
  // Numbers of pino and bunyan: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal.
  return declared >= 50 ? 'error' : declared >= 40 ? 'warn' : declared >= 30 ? 'info' : 'debug';
}

function word(text: string): LogLevel | null {
  const lower = text.toLowerCase();
  return Object.hasOwn(words, lower) ? words[lower]! : null;
}
