// What a bot needs of its image. Pure.
import type { Language } from '@botel/contract/vocabulary';
import type { Bot } from './bot.ts';

/** A language in one version, and Debian packages beside it, sorted and each once. */
export interface Runtime {
  language: Language;
  version: string;
  packages: readonly string[];
}

export function runtimeOf(bot: Pick<Bot, 'language' | 'runtimeVersion' | 'packages'>): Runtime {
  return { language: bot.language, version: bot.runtimeVersion, packages: bot.packages };
}

/** For people: `nodejs 24`, or `nodejs 24 with jq, sqlite3`. Different runtimes have different names. */
export function runtimeName({ language, version, packages }: Runtime): string {
  const name = `${language} ${version}`;
  return packages.length === 0 ? name : `${name} with ${packages.join(', ')}`;
}
