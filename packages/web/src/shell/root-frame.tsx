// The frame of every page: toasts, and what is shown for missing, broken and loading pages.
import { type ErrorComponentProps, Link, Outlet } from '@tanstack/react-router';
import { ToastSlot } from '../kit/toast.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { t } from '../texts/text.ts';

export function RootFrame() {
  return (
    <>
      <Outlet />
      <ToastSlot />
    </>
  );
}

export function NotFound() {
  return (
    <main className="grid place-items-center gap-3 px-4 py-20 text-center">
      <h1 className="text-2xl">{t('state.not_found')}</h1>
      <p className="text-muted">{t('state.not_found_hint')}</p>
      <Link to="/" className="text-accent underline underline-offset-4">
        {t('state.to_bots')}
      </Link>
    </main>
  );
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  return <ErrorCard error={error} retry={reset} />;
}

export function RoutePending() {
  return <Skeleton rows={4} retry={() => location.reload()} />;
}
