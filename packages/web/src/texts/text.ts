// The words of the dashboard in the language of its user. A text may hold `{name}`, and
// `{count|bot|bots}` for what goes with
// a number. English is the type of all keys; what the first page needs of it is there from the
// start, all else is loaded.
import { type Language, languageNow } from '../lib/preferences.ts';
import { ValueStore } from '../lib/value-store.ts';
import type { en } from './en.ts';
import { first } from './en-first.ts';
import { fill, type TextValues } from './fill.ts';
import { lazyPart } from '../lib/lazy-part.ts';

export type TextKey = keyof typeof en;

let texts: Partial<Record<TextKey, string>> = first;
let areLazyWanted = false;
/** The root follows it: a change remounts everything. */
export const shownLanguage = new ValueStore<Language>('en');

/** Resolves when the texts are loaded; if that fails, the current ones stay. */
export async function loadLanguage(language: Language = languageNow()): Promise<void> {
  if (language === 'pt-BR') texts = (await lazyPart(() => import('./pt-br.ts'))).ptBr;
  else texts = areLazyWanted ? { ...first, ...(await lazyPart(() => import('./en-lazy.ts'))).lazy } : first;
  document.documentElement.lang = language;
  shownLanguage.set(language);
}

/** Resolves when the texts that only some pages need are loaded. */
export async function loadLazyTexts(): Promise<void> {
  if (areLazyWanted) return;
  const { lazy } = await lazyPart(() => import('./en-lazy.ts'));
  areLazyWanted = true;
  if (shownLanguage.get() === 'en') texts = { ...first, ...lazy };
}

export function t(key: TextKey, values: TextValues = {}): string {
  return fill(texts[key] ?? key, values, shownLanguage.get());
}

/** Whether there is a text with this key, as for API codes with an explanation. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(texts, key);
}
