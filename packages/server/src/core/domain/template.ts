// A template: a small example bot that ships with Botel. Types only.
import type { Language, SecretKind } from '@botel/contract/vocabulary';

export interface Template {
  id: string;
  /** Suggested name of the bot. */
  name: string;
  language: Language;
  /** Memory that suffices to run it. */
  memoryMb: number;
  startupCommand: string;
  environment: Record<string, string>;
  /** Variables that the owner must supply before it runs. */
  secrets: { key: string; kind: SecretKind }[];
  /** Paths of its files, in alphabetical order. */
  files: string[];
  /** One or two sentences. */
  description: string;
  /** Translated descriptions, by language tag. */
  translations: Record<string, string>;
}
