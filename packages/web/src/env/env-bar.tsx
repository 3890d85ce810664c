// The bar below unsaved variables: how many changed, and the actions.
import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { t } from '../texts/text.ts';
import { maxVariables } from './env-draft.ts';
import type { Environment } from './use-environment.ts';

export function EnvBar({ environment, faultCount }: { environment: Environment; faultCount: number }) {
  const { changes, rows, discard, save } = environment;
  const [busy, setBusy] = useState(false);
  const [isReviewing, setReviewing] = useState(false);
  const isOver = rows.filter((row) => !row.removed).length > maxVariables;
  const why =
    faultCount > 0 ? t('env.faulty', { count: faultCount }) : isOver ? t('env.too_many', { max: maxVariables }) : null;
  const send = async (restarts: boolean) => {
    setBusy(true);
    await save(restarts);
    setBusy(false);
  };
  const parts = [
    changes.added > 0 && t('env.count_added', { count: changes.added }),
    changes.changed > 0 && t('env.count_changed', { count: changes.changed }),
    changes.removed > 0 && t('env.count_removed', { count: changes.removed }),
  ].filter((part) => part !== false);
  return (
    <section
      aria-label={t('env.bar_label')}
      className="sticky bottom-3 z-10 mt-4 flex flex-wrap items-center gap-2 rounded-card bg-surface p-3 shadow-float"
    >
      <p role="status" className="me-auto text-sm max-sm:basis-full">
        {why ?? parts.join(', ')}
      </p>
      <Button onClick={() => setReviewing(true)}>{t('env.review')}</Button>
      <Button onClick={discard}>{t('env.discard')}</Button>
      <Button variant="primary" sends busy={busy} why={why} onClick={() => void send(false)}>
        {t('action.save')}
      </Button>
      <Button sends busy={busy} why={why} onClick={() => void send(true)}>
        {t('env.save_restart')}
      </Button>
      <Dialog open={isReviewing} onOpenChange={setReviewing} title={t('env.review')}>
        <ul className="grid gap-1 font-mono text-sm">
          {Object.keys(changes.set).map((key) => (
            <li key={key}>
              {key}{' '}
              <span className="font-sans text-muted">
                {t(isStored(environment, key) ? 'env.changed' : 'env.added')}
              </span>
            </li>
          ))}
          {changes.unset.map((key) => (
            <li key={key}>
              <s>{key}</s> <span className="font-sans text-muted">{t('env.removed')}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </section>
  );
}

function isStored({ stored }: Environment, key: string): boolean {
  return stored.keys.includes(key);
}
