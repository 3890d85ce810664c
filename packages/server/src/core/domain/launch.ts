// How a startup command runs so that the stop signal reaches the program. Pure. Never builds shell
// text: a command that needs a shell is one argument.
import { languageDefinitions } from './languages/languages.ts';

/** Path of the launcher in every bot's container (images/base/launch). */
export const launcherPath = '/botel/launch';

/** Interpreters that are the program itself and may therefore replace the launcher. */
const interpreters = new Set(Object.values(languageDefinitions).flatMap((each) => each.interpreters));

/**
 * The container's argv. A simple command of a known interpreter runs directly, so its environment
 * arrives unchanged; all else by the launcher, which replaces itself with a binary (`exec`) or
 * waits for the whole process group (`keep`).
 */
export function argvOf(startupCommand: string): string[] {
  const words = simpleWords(startupCommand);
  if (words && interpreters.has(words[0] ?? '')) return words;
  return words ? [launcherPath, 'exec', ...words] : [launcherPath, 'keep', startupCommand];
}

/**
 * Splits into words as a POSIX shell would; null for anything that needs one (operators,
 * expansions, globs, leading assignments, an unclosed quote) and for an empty text.
 */
export function simpleWords(command: string): string[] | null {
  const words: string[] = [];
  let rest = command.trim();
  while (rest) {
    const word = /^(?:[^\s'"\\;&|<>(){}`$*?[\]~#!]|'[^']*'|"[^"\\`$]*"|\\[^\n])+/.exec(rest)?.[0];
    if (!word) return null;
    words.push(word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped));
    rest = rest.slice(word.length);
    if (rest && !/^[ \t]/.test(rest)) return null;
    rest = rest.trimStart();
  }
  if (words.length === 0 || /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(command.trim())) return null;
  return words;
}
