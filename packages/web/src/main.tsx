// Where the page begins: texts of the reader's language first, then the router in the one root.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { applyTheme } from './lib/preferences.ts';
import { router } from './router.tsx';
import { PartNotice } from './shell/part-notice.tsx';
import { loadLanguage, shownLanguage } from './texts/text.ts';
import './styles.css';

/** Another language draws everything anew: no text is kept from before. */
function Page() {
  const language = useSyncExternalStore(shownLanguage.subscribe, shownLanguage.get);
  return (
    <QueryClientProvider client={queryClient} key={language}>
      <RouterProvider router={router} />
      <PartNotice />
    </QueryClientProvider>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no root');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
// A part that fails to load resolves with nothing: who asked for it decides (lib/late-part.ts).
addEventListener('vite:preloadError', (event) => event.preventDefault());
await loadLanguage().catch(() => undefined);
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
