// The frame of all pages of somebody who is signed in: rail (a bar on phones), banner, page. Starts the live connection.
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { startLive, stopLive } from '../api/live.ts';
import { meQuery } from '../api/queries.ts';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { t } from '../texts/text.ts';
import { KeyboardLayer } from './keyboard-layer.tsx';
import { LiveBanner } from './live-banner.tsx';
import { LoginDialog } from './login-dialog.tsx';
import { Rail } from './rail.tsx';

export function AppShell() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const { pathname, searchStr } = useLocation();
  const isIn = me !== undefined;
  useEffect(() => {
    if (!isIn) return;
    startLive();
    return stopLive;
  }, [isIn]);
  if (!isIn && isApiError(error) && error.status === 401)
    return <Navigate to="/login" search={{ next: pathname === '/' ? undefined : pathname + searchStr }} replace />;
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
          {isIn ? <Outlet /> : error ? <ErrorCard error={error} retry={() => void refetch()} /> : <Skeleton rows={4} />}
        </main>
      </div>
      <KeyboardLayer />
      <LoginDialog />
    </div>
  );
}
