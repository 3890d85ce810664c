// A chunk that is gone means that the server has a newer dashboard: says so, and reloads when asked, never by itself.
import { useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { t } from '../texts/text.ts';

export function UpdateNotice() {
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    const notice = (event: Event) => {
      event.preventDefault();
      setOld(true);
    };
    addEventListener('vite:preloadError', notice);
    return () => removeEventListener('vite:preloadError', notice);
  }, []);
  if (!isOld) return null;
  return (
    <div
      role="alert"
      className="fixed inset-x-3 bottom-3 z-30 mx-auto flex max-w-md items-center gap-3 rounded-card bg-surface p-4 shadow-float"
    >
      <p className="grow">{t('state.updated')}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {t('state.reload')}
      </Button>
    </div>
  );
}
