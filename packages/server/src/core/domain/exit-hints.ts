// The most likely cause of a run's end: from the engine's facts, then the program's last output,
// then the exit code. Values never hold secrets.
import { stripVTControlCharacters } from 'node:util';
import type { ExitReason, Language } from '@botel/contract/vocabulary';
import type { Exit, ExitHint } from './bot.ts';
import { generalRules, limitRules } from './exit-hint-rules.ts';
import { type HintValues, hintTexts } from './exit-hint-texts.ts';
import { languageDefinitions } from './languages/languages.ts';

/** Number of last lines that are searched; some stack traces are long. */
export const hintLines = 200;
/** Only this much of a longer line is searched. */
const searchedUnits = 2000;
const valueUnits = 100;

/** Reasons that say nothing about the program. */
const outerReasons: ReadonlySet<ExitReason> = new Set(['stopped', 'killed', 'interrupted', 'vanished']);

/** The parts of a bot that hints depend on. */
interface HintSubject {
  language: Language;
  memoryMb: number;
}

type Ended = Pick<Exit, 'reason' | 'code' | 'oom' | 'message'>;

/** Null when unknown, or the program itself did not end the run. `lines`: oldest first. */
export function exitHint(exit: Ended, lines: readonly string[], bot: HintSubject): ExitHint | null {
  if (outerReasons.has(exit.reason)) return null;
  if (exit.oom) return { code: 'oom', values: { memory_mb: bot.memoryMb } };
  return hintOfLines(exit, lines, bot) ?? hintOfCode(exit);
}

/** One sentence for the owner. */
export function hintSentence({ code, values }: ExitHint): string {
  const texts: readonly string[] = hintTexts[code];
  const fitting = texts.find((text) => placeholders(text).every((name) => name in values)) ?? texts.at(-1) ?? '';
  return fitting.replace(/<(\w+)>/g, (_, name: string) => String(values[name] ?? ''));
}

/** Names of the placeholders in a text. */
export function placeholders(text: string): string[] {
  return [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => name);
}

/** The last matching line wins: earlier problems did not end the run. */
function hintOfLines(exit: Ended, lines: readonly string[], bot: HintSubject): ExitHint | null {
  const { hints, pidsLimit } = languageDefinitions[bot.language];
  const rules = [...limitRules, ...hints, ...generalRules];
  for (const line of [...lines, exit.message].reverse()) {
    const text = stripVTControlCharacters(line.slice(0, searchedUnits)).trimEnd();
    for (const rule of rules) {
      if (rule.exitCode !== undefined && rule.exitCode !== exit.code) continue;
      const match = rule.pattern.exec(text);
      if (!match) continue;
      const groups = Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined);
      const values = Object.fromEntries(groups);
      return {
        code: rule.code,
        values: clean(rule.values ? rule.values(values, { memoryMb: bot.memoryMb, pidsLimit }) : values),
      };
    }
  }
  return null;
}

function hintOfCode({ reason, code }: Ended): ExitHint | null {
  if (reason === 'exited') return { code: 'finished', values: {} };
  if (code === 127) return { code: 'not_found', values: {} };
  return code === 126 ? { code: 'not_executable', values: {} } : null;
}

/** Digits become numbers, paths relative to the home; drops long values and likely secrets. */
function clean(values: HintValues): HintValues {
  const kept: HintValues = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number') kept[name] = value;
    else if (/^\d{1,9}$/.test(value)) kept[name] = Number(value);
    else if (!looksSecret(value)) kept[name] = value.replace(/^\/home\/bot\//, '').slice(0, valueUnits);
  }
  return kept;
}

/** Matches Discord and Telegram tokens, JWTs, and any long mix of letters and digits. */
function looksSecret(value: string): boolean {
  if (/\d{6,}:[\w-]{20,}/.test(value) || /[\w-]{18,}\.[\w-]{5,}\.[\w-]{20,}/.test(value)) return true;
  return value.split(/[^\w-]/).some((part) => part.length >= 32 && /\d/.test(part) && /[A-Za-z]/.test(part));
}
