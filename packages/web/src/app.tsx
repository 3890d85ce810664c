// The dashboard as one component. Not in main.tsx, which hot reload must not run a second time.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { PartNotice } from './shell/part-notice.tsx';
import { shownLanguage } from './texts/text.ts';

/** A change of language mounts everything again, so that no text of the old one stays. */
export function App() {
  const language = useSyncExternalStore(shownLanguage.subscribe, shownLanguage.get);
  return (
    <QueryClientProvider client={queryClient} key={language}>
      <RouterProvider router={router} />
      <PartNotice />
    </QueryClientProvider>
  );
}
