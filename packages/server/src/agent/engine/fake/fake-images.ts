// The runtime images of a fake machine. Pure.
import { type Language, languages } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../../core/domain/languages/languages.ts';
import { sha256 } from '../../../core/lib/ids.ts';

/** Id of the image that a language's version with these packages has. */
export function imageId(language: Language, version: string, packages: readonly string[]): string {
  return `sha256:${sha256([language, version, ...packages].join(':'))}`;
}

/** What a machine has from the beginning. */
export function everyImage(): [Language, string][] {
  return languages.flatMap((language) =>
    languageDefinitions[language].versions.map((version): [Language, string] => [language, version]),
  );
}
