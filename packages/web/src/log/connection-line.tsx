// The line below the log: the connection state, and a polite count of new lines for screen readers.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useNow } from '../kit/time.tsx';
import { errorText } from '../kit/states.tsx';
import { t } from '../texts/text.ts';
import { type LogSession, retryLogs } from './log-session.ts';

const politeMs = 10_000;

export function ConnectionLine({ session }: { session: LogSession }) {
  const connection = useSyncExternalStore(session.connection.subscribe, session.connection.get);
  const now = useNow();
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 border-t border-line px-3 py-1 text-xs text-muted">
      {connection.kind === 'live' && t('log.live')}
      {connection.kind === 'connecting' && t('log.connecting')}
      {connection.kind === 'ended' && t('log.ended')}
      {connection.kind === 'refused' && (connection.error ? errorText(connection.error) : t('log.refused'))}
      {connection.kind === 'waiting' && (
        <span className="text-warn">
          {t('log.retrying', { seconds: Math.max(1, Math.ceil(((connection.until ?? 0) - now) / 1000)) })}{' '}
          <button type="button" className="min-h-6 font-medium underline" onClick={retryLogs}>
            {t('log.retry_now')}
          </button>
        </span>
      )}
      <PoliteCount session={session} />
    </div>
  );
}

function PoliteCount({ session }: { session: LogSession }) {
  const [text, setText] = useState('');
  useEffect(() => {
    let announced = session.store.newest;
    const timer = setInterval(() => {
      const { newest } = session.store;
      const count = (newest ?? 0) - (announced ?? newest ?? 0);
      announced = newest;
      setText(count > 0 ? t('log.came', { count }) : '');
    }, politeMs);
    return () => clearInterval(timer);
  }, [session]);
  return (
    <span role="status" className="sr-only">
      {text}
    </span>
  );
}
