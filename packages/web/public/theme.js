// Sets theme and language before the first paint. Knows the two keys of src/lib/preferences.ts.
(() => {
  let theme = 'system';
  let language = '';
  try {
    theme = localStorage.getItem('botel.theme') ?? 'system';
    language = localStorage.getItem('botel.language') ?? '';
  } catch {
    // Storage is switched off: the system decides.
  }
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  document.documentElement.lang = language || (navigator.language.startsWith('pt') ? 'pt-BR' : 'en');
})();
