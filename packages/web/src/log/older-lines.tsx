// Loads older lines above the first one and keeps the scroll position; the text of an empty log.
import { useSyncExternalStore } from 'react';
import { Button } from '../kit/button.tsx';
import { errorText } from '../kit/states.tsx';
import { t } from '../texts/text.ts';
import type { LogScroller } from './log-scroller.ts';
import type { LogSession } from './log-session.ts';

interface OlderProps {
  session: LogSession;
  scroller: LogScroller;
  isEmpty: boolean;
}

export function OlderLines({ session, scroller, isEmpty }: OlderProps) {
  const { first } = useSyncExternalStore(session.store.subscribe, session.store.snapshot);
  const history = useSyncExternalStore(session.history.subscribe, session.history.get);
  const connection = useSyncExternalStore(session.connection.subscribe, session.connection.get);
  const isStart = history.kind === 'complete' || first === 1;
  if (isEmpty && session.store.newest === null)
    return <p className="px-4 py-3 text-muted">{connection.kind === 'live' ? t('log.empty') : t('state.loading')}</p>;
  return (
    <div className="flex flex-wrap items-center gap-3 px-3 pb-2 font-sans text-sm text-muted">
      {isStart ? (
        <span>{t('log.start')}</span>
      ) : (
        <Button
          size="small"
          busy={history.kind === 'loading'}
          onClick={() => void scroller.keepPosition(() => session.loadOlder())}
        >
          {t('log.older')}
        </Button>
      )}
      {history.kind === 'failed' && <span className="text-bad">{errorText(history.error)}</span>}
    </div>
  );
}
