// Sign-in, by password or by a one-time link (`/login#<token>`).
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call, sessionEnded } from '../api/calls.ts';
import { queryClient } from '../api/query-client.ts';
import { takeFragment } from '../lib/take-fragment.ts';
import { LoginForm } from '../shell/login-form.tsx';
import { Logo } from '../shell/logo.tsx';
import { t } from '../texts/text.ts';

export function LoginPage() {
  const { next } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const [oneTime] = useState(takeFragment);
  const enter = () => {
    queryClient.clear();
    sessionEnded.set(false);
    // The router prefixes /dashboard: it can't lead anywhere else.
    void navigate({
      href: next?.startsWith('/') && !next.startsWith('//') ? `/dashboard${next}` : '/dashboard/',
      replace: true,
    });
  };
  return (
    <DoorFrame title={t('login.title')} lead={t('login.lead')}>
      {oneTime ? <OneTime token={oneTime} onDone={enter} /> : <LoginForm onDone={enter} />}
    </DoorFrame>
  );
}

interface DoorFrameProps {
  title: string;
  lead: string;
  isWide?: boolean;
  children: ReactNode;
}

/** The frame of pages before sign-in. */
export function DoorFrame({ title, lead, isWide, children }: DoorFrameProps) {
  useEffect(() => {
    document.title = `${title} · Botel`;
  }, [title]);
  return (
    <main className={`mx-auto grid min-h-dvh content-center gap-6 px-4 py-10 ${isWide ? 'max-w-2xl' : 'max-w-sm'}`}>
      <header className="grid justify-items-center gap-3 text-center">
        <Logo className="size-12" />
        <div>
          <h1 className="text-2xl">{title}</h1>
          <p className="mt-1 text-muted">{lead}</p>
        </div>
      </header>
      <div className="rounded-card bg-surface p-5 shadow-card">{children}</div>
    </main>
  );
}

function OneTime({ token, onDone }: { token: string; onDone: () => void }) {
  const { error, isSuccess } = useQuery({
    queryKey: ['one-time'],
    queryFn: () => call('POST', '/auth/one-time', { token, cookie: true }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (isSuccess) onDone();
  }, [isSuccess, onDone]);
  if (!error) return <p role="status">{t('login.one_time')}</p>;
  return (
    <div className="grid gap-4">
      <p role="alert">{t('login.one_time_failed')}</p>
      <LoginForm onDone={onDone} />
    </div>
  );
}
