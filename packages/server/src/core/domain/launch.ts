// Decides how a startup command is run in the container so that the stop signal reaches the program. Pure.
// Must never build text for a shell: a command that needs one is handed over whole, as one argument.
import { languageDefinitions } from './languages/languages.ts';

/** Path of the launcher inside every bot's container (images/base/launch). */
export const launcherPath = '/botel/launch';

/** Interpreters that are known to be the program itself, so that they may take the place of the launcher. */
const interpreters = new Set(Object.values(languageDefinitions).flatMap((each) => each.interpreters));

/**
 * The container's argument vector. A simple command of a known interpreter is run directly, without any shell between
 * init and program: its environment arrives untouched. Everything else goes to the launcher, which runs a binary in
 * its own place (`exec`) or waits for the whole process group (`keep`).
 */
export function argvOf(startupCommand: string): string[] {
  const words = simpleWords(startupCommand);
  if (words && interpreters.has(words[0] ?? '')) return words;
  return words ? [launcherPath, 'exec', ...words] : [launcherPath, 'keep', startupCommand];
}

/**
 * Splits a simple command into its words as a POSIX shell would, or returns null when it is not simple: operators,
 * expansions, globs, leading assignments, an open quote, or nothing at all.
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
