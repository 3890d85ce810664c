// A small bot that comes with Botel, as a beginning of an own one. Types only.
import type { Language, SecretKind } from '@botel/contract/vocabulary';

export interface Template {
  id: string;
  /** Proposed name of a bot. */
  name: string;
  language: Language;
  /** Enough for it to run. */
  memoryMb: number;
  startupCommand: string;
  environment: Record<string, string>;
  /** Variables that only the owner can give, and that it does not run without. */
  secrets: { key: string; kind: SecretKind }[];
  /** Paths of its files, in the order of the alphabet. */
  files: string[];
  /** One or two sentences. */
  description: string;
  /** The description in other languages, by their tag. */
  translations: Record<string, string>;
}
