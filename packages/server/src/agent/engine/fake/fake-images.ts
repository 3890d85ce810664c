// The runtime images of a fake machine. Pure.
import { type Language, languages } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../../core/domain/languages/languages.ts';
import { sha256 } from '../../../core/lib/ids.ts';

/** Image id of a language's version with these packages. */
export function imageId(language: Language, version: string, packages: readonly string[]): string {
  return `sha256:${sha256([language, version, ...packages].join(':'))}`;
}

/** The images that a machine has at first. */
export function everyImage(): [Language, string][] {
  return languages.flatMap((language) =>
    languageDefinitions[language].versions.map((version): [Language, string] => [language, version]),
  );
}
