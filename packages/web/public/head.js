// Runs before the first paint. Sets theme and language from the two keys of src/lib/preferences.ts,
// and prefetches the scripts and data of this page while the main script loads. The data is used by
// src/lib/prefetched.ts.
(() => {
  let theme = 'system';
  let language = '';
  try {
    theme = localStorage.getItem('botel.theme') ?? 'system';
    language = localStorage.getItem('botel.language') ?? '';
  } catch {
    // Storage is disabled: the system decides.
  }
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  language ||= navigator.language.startsWith('pt') ? 'pt-BR' : 'en';
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  document.documentElement.lang = language;

  const { scripts } = document.currentScript.dataset;
  if (!scripts) return;
  const path = location.pathname.replace(/^\/dashboard/, '').replace(/(.)\/$/, '$1');
  const botId = /^\/bots\/([0-9a-f-]{36})(\/|$)/.exec(path)?.[1];
  const page = path.replace(botId ?? '', botId ? ':id' : '');
  const filesOf = JSON.parse(scripts);
  for (const file of new Set([...(filesOf[page] ?? []), ...(filesOf[language] ?? [])])) {
    const link = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: `/dashboard/${file}` });
    document.head.append(link);
  }

  const answers = new Map();
  const ask = (address, accept = '*/*') => {
    const closing = new AbortController();
    const answer = fetch(address, { headers: { Accept: accept }, signal: closing.signal });
    // The main script requests it again.
    answer.catch(() => undefined);
    answers.set(address, { answer, closing });
  };
  globalThis.botelPrefetched = answers;
  if (!(page in filesOf) || ['/login', '/setup', '/reset'].includes(page)) return;
  ask('/auth/me');
  if (botId) ask(`/bots/${botId}`);
  if (page === '/') for (const address of ['/bots?limit=100', '/usage']) ask(address);
  if (page === '/bots/:id' && !location.search) ask(`/bots/${botId}/logs/stream?tail=200`, 'text/event-stream');
})();
