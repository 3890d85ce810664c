// The languages that a bot can be written in, and the versions of their runtimes. Pure data.
import type { Language } from '@botel/contract/vocabulary';

/** Runtime versions per language, the default first. They name what images/<language> makes. */
export const runtimeVersions: Record<Language, readonly [string, ...string[]]> = {
  nodejs: ['24', '22', '20'],
  python: ['3.13'],
  java: ['25', '21'],
  go: ['1.24'],
  rust: ['1.85'],
};

/** The JVM and its compiler threads need more processes than the others. Unit: processes and threads together. */
export function pidsLimit(language: Language): number {
  return language === 'java' ? 256 : 128;
}
