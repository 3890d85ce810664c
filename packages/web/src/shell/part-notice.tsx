// Says that a part of the page failed to load, and reloads on request.
import { useSyncExternalStore } from 'react';
import { Button } from '../kit/button.tsx';
import { isPartMissing } from '../lib/lazy-part.ts';
import { t } from '../texts/text.ts';

export function PartNotice() {
  const isMissing = useSyncExternalStore(isPartMissing.subscribe, isPartMissing.get);
  if (!isMissing) return null;
  return (
    <div
      role="alert"
      className="fixed inset-x-3 bottom-3 z-30 mx-auto flex max-w-md items-center gap-3 rounded-card bg-surface p-4 shadow-float"
    >
      <p className="grow">{t('state.part_missing')}</p>
      <Button variant="primary" onClick={() => location.reload()}>
        {t('state.reload')}
      </Button>
    </div>
  );
}
