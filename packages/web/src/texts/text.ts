// The words of the dashboard in the language of its user. A text may hold `{name}`, and `{count|bot|bots}` for what goes with
// a number. English is there from the start, and the type of all keys; other languages are loaded.
import { type Language, languageNow } from '../lib/preferences.ts';
import { ValueStore } from '../lib/value-store.ts';
import { en } from './en.ts';
import { fill, type TextValues } from './fill.ts';

export type TextKey = keyof typeof en;
export type Texts = Record<TextKey, string>;

let texts: Texts = en;
/** Followed by the root of the page: a change draws everything anew. */
export const shownLanguage = new ValueStore<Language>('en');

/** Resolves when the texts of the language are there; one that can't be loaded leaves those that are. */
export async function loadLanguage(language: Language = languageNow()): Promise<void> {
  texts = language === 'pt-BR' ? (await import('./pt-br.ts')).ptBr : en;
  document.documentElement.lang = language;
  shownLanguage.set(language);
}

export function t(key: TextKey, values: TextValues = {}): string {
  return fill(texts[key], values, shownLanguage.get());
}

/** Whether there is a text of that name: for codes of the API that may have an explanation. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
