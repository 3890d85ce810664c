// Preferences stored in this browser: theme, language, single-letter shortcuts. Works without
// storage, then nothing is kept.

export type Theme = 'light' | 'dark' | 'system';
export type Language = 'en' | 'pt-BR';

const prefix = 'botel.';

/** The stored text, or null. `key` without prefix. */
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

/** Decided by public/head.js. */
export function languageNow(): Language {
  return document.documentElement.lang === 'pt-BR' ? 'pt-BR' : 'en';
}

/** Single-letter shortcuts are on unless switched off (WCAG 2.1.4). */
export function letterKeysOn(): boolean {
  return remembered('letter-keys') !== 'off';
}
