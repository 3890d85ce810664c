// What a page shows without fresh data: skeleton, empty, error, stale.
import { type Query, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { isApiError } from '../lib/api-error.ts';
import { copyText } from '../lib/copy-text.ts';
import { isTextKey, t } from '../texts/text.ts';
import { Button, IconButton } from './button.tsx';
import { Ago } from './time.tsx';

const slowMs = 10_000;

interface SkeletonProps {
  rows?: number;
  height?: string;
  /** Instead of refetching everything the page waits for. */
  retry?: () => void;
}

/** A skeleton; after 10 s with a retry button. */
export function Skeleton({ rows = 3, height = '3.5rem', retry }: SkeletonProps) {
  const [isSlow, setSlow] = useState(false);
  const queries = useQueryClient();
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  const askAnew = async () => {
    // Requests in flight would be awaited again.
    await queries.cancelQueries({ predicate: isWaiting });
    await queries.refetchQueries({ type: 'active', predicate: isWaiting });
  };
  return (
    <div role="status" className="grid gap-2">
      <span className="sr-only">{t('state.loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} style={{ height }} className="rounded-card bg-sunken breathe" />
      ))}
      {isSlow && (
        <p className="flex items-center gap-3 text-muted">
          {t('state.slow')} <Button onClick={retry ?? (() => void askAnew())}>{t('state.retry')}</Button>
        </p>
      )}
    </div>
  );
}

function isWaiting({ state }: Query): boolean {
  return state.data === undefined;
}

interface Asked {
  error: unknown;
  refetch: () => unknown;
}

/** Until a query has data: a skeleton, or its error, both with a retry button. */
export function Pending({ query, rows, height }: { query: Asked; rows?: number; height?: string }) {
  if (!query.error) return <Skeleton rows={rows} height={height} />;
  return <ErrorCard error={query.error} retry={() => void query.refetch()} />;
}

/** One sentence, one action. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-3 px-4 py-10 text-center">
      <div className="text-brass [&_svg]:size-8" aria-hidden>
        {icon}
      </div>
      <p className="max-w-prose text-muted">{title}</p>
      {children}
    </div>
  );
}

interface ErrorCardProps {
  error: unknown;
  retry?: () => void;
  /** When the data still shown was loaded, in ms since the epoch; 0 = none is shown. */
  readAt?: number;
}

/** The server's message, an explanation, the age of the data still shown, and a retry button. */
export function ErrorCard({ error, retry, readAt = 0 }: ErrorCardProps) {
  const requestId = isApiError(error) ? error.requestId : null;
  return (
    <div role="alert" className="flex gap-3 rounded-card bg-bad-soft p-4">
      <CircleAlert className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      <div className="grid min-w-0 gap-1">
        <p className="font-medium">{errorText(error)}</p>
        {explanationOf(error) && <p className="text-sm">{explanationOf(error)}</p>}
        {readAt > 0 && (
          <p className="text-sm">
            {t('state.read')} <Ago at={new Date(readAt).toISOString()} />
          </p>
        )}
        {requestId && (
          <p className="flex items-center gap-1 text-xs">
            {t('state.request_id', { id: requestId })}
            <IconButton size="small" label={t('state.copy_id')} onClick={() => void copyText(requestId)}>
              <Copy className="size-3.5" aria-hidden />
            </IconButton>
          </p>
        )}
        {retry && (
          <div className="mt-2">
            <Button onClick={retry}>{t('state.retry')}</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The server's error message. */
export function errorText(error: unknown): string {
  if (isApiError(error)) return error.status === 0 ? t('state.unreachable') : error.message;
  return t('state.failed');
}

/** The explanation of an error code; null if it needs none. */
export function explanationOf(error: unknown): string | null {
  const key = isApiError(error) ? `code.${error.code}` : '';
  return isTextKey(key) ? t(key) : null;
}
