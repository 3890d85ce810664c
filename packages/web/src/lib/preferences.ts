// What this browser remembers of its user's taste: theme, language, single-letter keys. Storage may be switched off: then
// nothing is remembered.

export type Theme = 'light' | 'dark' | 'system';
export type Language = 'en' | 'pt-BR';

const prefix = 'botel.';

/** The remembered text, or null. `key` without prefix. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    return;
  }
}

export function themeNow(): Theme {
  const theme = remembered('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function setTheme(theme: Theme): void {
  remember('theme', theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = themeNow();
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

/** public/head.js has decided. */
export function languageNow(): Language {
  return document.documentElement.lang === 'pt-BR' ? 'pt-BR' : 'en';
}

/** Single-letter keys are on unless they were switched off (WCAG 2.1.4). */
export function letterKeysOn(): boolean {
  return remembered('letter-keys') !== 'off';
}
