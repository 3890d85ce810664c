// A small bot that comes with Botel, as a beginning of an own one. Types only.
import type { Language } from './languages.ts';

export interface Template {
  id: string;
  /** Proposed name of a bot. */
  name: string;
  language: Language;
  /** Enough for it to run. */
  memoryMb: number;
  startupCommand: string;
  environment: Record<string, string>;
  /** One or two sentences. */
  description: string;
}
