// Which runtime images the machine in memory knows, and their ids. Pure.
import type { Language } from '@botel/contract/vocabulary';
import { runtimeVersions } from '../../../core/domain/languages.ts';
import { sha256 } from '../../../core/lib/ids.ts';

/** Id of the image that a language's version with these packages has. */
export function imageId(language: Language, version: string, packages: readonly string[]): string {
  return `sha256:${sha256([language, version, ...packages].join(':'))}`;
}

/** What a machine has from the beginning. */
export function everyImage(): [Language, string][] {
  const languages = Object.keys(runtimeVersions) as Language[];
  return languages.flatMap((language) =>
    runtimeVersions[language].map((version): [Language, string] => [language, version]),
  );
}
