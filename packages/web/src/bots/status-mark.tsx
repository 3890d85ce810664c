// A bot's status as icon, label and colour, with the phase or the next retry.
import type { BotData } from '@botel/contract/bots';
import { CircleCheck, CircleDashed, CircleMinus, TriangleAlert } from 'lucide-react';
import { useNow } from '../kit/time.tsx';
import { classes } from '../lib/classes.ts';
import { formatDuration } from '../lib/format.ts';
import { isTextKey, shownLanguage, t } from '../texts/text.ts';
import { statusWord, type Tone } from './status-word.ts';

const toneStyles: Record<Tone, { icon: typeof CircleCheck; className: string }> = {
  good: { icon: CircleCheck, className: 'bg-good-soft text-good' },
  busy: { icon: CircleDashed, className: 'bg-info-soft text-info' },
  bad: { icon: TriangleAlert, className: 'bg-bad-soft text-bad' },
  idle: { icon: CircleMinus, className: 'bg-sunken text-muted' },
};

type Shown = Pick<BotData, 'status' | 'status_reason' | 'phase' | 'next_restart_at'>;

export function StatusMark({ bot }: { bot: Shown }) {
  const { key, tone } = statusWord(bot);
  const { icon: Icon, className } = toneStyles[tone];
  const phase = bot.status === 'starting' && bot.phase ? `phase.${bot.phase}` : '';
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span
        className={classes('inline-flex items-center gap-1.5 rounded-full py-0.5 ps-1.5 pe-2.5 font-medium', className)}
      >
        <Icon className={classes('size-4', tone === 'busy' && 'animate-spin [animation-duration:3s]')} aria-hidden />
        {t(key)}
      </span>
      {isTextKey(phase) && <span className="text-muted">{t(phase)}</span>}
      {bot.status === 'offline' && bot.next_restart_at && <NextTry at={bot.next_restart_at} />}
    </span>
  );
}

function NextTry({ at }: { at: string }) {
  const seconds = Math.ceil((Date.parse(at) - useNow()) / 1000);
  const text = t('status.next_try', { time: formatDuration(seconds, shownLanguage.get()) });
  return <span className="text-muted tabular-nums">{text}</span>;
}
