// The frame of all signed-in pages: navigation, banner, page. Starts the live connection. The
// router redirects everyone else to sign-in.
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { startLive, stopLive } from '../api/live.ts';
import { sessionEnded } from '../api/calls.ts';
import { meQuery } from '../api/queries.ts';
import { Pending } from '../kit/states.tsx';
import { t } from '../texts/text.ts';
import { KeyboardLayer } from './keyboard-layer.tsx';
import { LiveBanner } from './live-banner.tsx';
import { Rail } from './rail.tsx';
import { lazyPart } from '../lib/lazy-part.ts';

const LoginDialog = lazy(async () => ({ default: (await lazyPart(() => import('./login-dialog.tsx'))).LoginDialog }));

export function AppShell() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const isIn = me !== undefined;
  const isEnded = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.get);
  useEffect(() => {
    if (!isIn) return;
    startLive();
    return stopLive;
  }, [isIn]);
  return (
    <div className="md:grid md:grid-cols-[4.75rem_minmax(0,1fr)] wide:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:z-40 focus:m-2 focus:rounded-lg focus:bg-surface focus:p-3"
      >
        {t('nav.skip')}
      </a>
      <Rail me={me} />
      <div className="min-w-0">
        <LiveBanner />
        <main id="main" tabIndex={-1} className="mx-auto max-w-6xl px-4 py-5 focus:outline-none sm:px-6 sm:py-7">
          {isIn ? <Outlet /> : <Pending query={{ error, refetch }} rows={4} />}
        </main>
      </div>
      <KeyboardLayer />
      <Suspense>{isEnded && isIn && <LoginDialog />}</Suspense>
    </div>
  );
}
