// Shows that the connection is lost and when it retries, with a button to retry now.
import { useSyncExternalStore } from 'react';
import { liveState, retryLive } from '../api/live.ts';
import { Button } from '../kit/button.tsx';
import { useNow } from '../kit/time.tsx';
import { t } from '../texts/text.ts';

export function LiveBanner() {
  const state = useSyncExternalStore(liveState.subscribe, liveState.get);
  return state.kind === 'retrying' ? <Retrying at={state.at} isBlocked={state.isBlocked} /> : null;
}

function Retrying({ at, isBlocked }: { at: number; isBlocked: boolean }) {
  const seconds = Math.max(0, Math.ceil((at - useNow()) / 1000));
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-1 bg-warn-soft px-4 py-1.5 text-sm text-warn">
      <span>{t('live.retrying', { seconds })}</span>
      {isBlocked && <span>{t('live.blocked')}</span>}
      <Button size="small" onClick={retryLive}>
        {t('state.retry')}
      </Button>
    </div>
  );
}
