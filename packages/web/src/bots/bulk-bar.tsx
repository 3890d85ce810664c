// The actions on all selected bots.
import type { BotData } from '@botel/contract/bots';
import { Play, RotateCw, Square, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { toastSuccess, toastError } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import { actOnAll } from './act.ts';

const verbs = [
  { verb: 'start', icon: Play },
  { verb: 'restart', icon: RotateCw },
  { verb: 'stop', icon: Square },
] as const;
const maxBots = 20;

export function BulkBar({ bots, onClear }: { bots: BotData[]; onClear: () => void }) {
  const [pending, setPending] = useState<string | null>(null);
  if (bots.length === 0) return null;
  const run = async (verb: (typeof verbs)[number]['verb']) => {
    setPending(verb);
    const ids = bots.map(({ id }) => id);
    const { done, failure } = await actOnAll(verb, ids);
    setPending(null);
    if (failure) toastError(failure);
    if (done > 0) toastSuccess(t('bots.bulk_done', { action: t(`verb.${verb}`), count: done }));
  };
  const why = bots.length > maxBots ? t('bots.most_selected', { count: maxBots }) : null;
  return (
    <div
      role="toolbar"
      aria-label={t('bots.selected', { count: bots.length })}
      className="sticky bottom-3 z-10 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-card bg-surface p-2 ps-4 shadow-float"
    >
      <span className="text-sm tabular-nums">{t('bots.selected', { count: bots.length })}</span>
      {verbs.map(({ verb, icon: Icon }) => (
        <Button
          key={verb}
          size="small"
          icon={<Icon className="size-4" aria-hidden />}
          sends
          busy={pending === verb}
          why={why}
          onClick={() => void run(verb)}
        >
          {t(`verb.${verb}`)}
        </Button>
      ))}
      <IconButton size="small" label={t('bots.clear_selection')} onClick={onClear}>
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}
