// What a bot requires of its image. Pure.
import type { Language } from '@botel/contract/vocabulary';
import type { Bot } from './bot.ts';

/** A language version and Debian packages, sorted, without duplicates. */
export interface Runtime {
  language: Language;
  version: string;
  packages: readonly string[];
}

export function runtimeOf(bot: Pick<Bot, 'language' | 'runtimeVersion' | 'packages'>): Runtime {
  return { language: bot.language, version: bot.runtimeVersion, packages: bot.packages };
}

/** Display name: `nodejs 24`, or `nodejs 24 with jq, sqlite3`. Unique per runtime. */
export function runtimeName({ language, version, packages }: Runtime): string {
  const name = `${language} ${version}`;
  return packages.length === 0 ? name : `${name} with ${packages.join(', ')}`;
}
