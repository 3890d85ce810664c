// Start, Restart and Stop of one bot, as its status allows.
import type { BotData } from '@botel/contract/bots';
import { OctagonX, Play, RotateCw, Square } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { LazyConfirm } from '../kit/lazy-confirm.tsx';
import { t } from '../texts/text.ts';
import { act } from './act.ts';
import { actionsOf, type Verb } from './lifecycle.ts';

const icons: Record<Verb, typeof Play> = { start: Play, restart: RotateCw, stop: Square, kill: OctagonX };

/** `isSmall`: icons only, for rows of lists. */
export function BotActions({ bot, isSmall }: { bot: BotData; isSmall?: boolean }) {
  const [pending, setPending] = useState<Verb | null>(null);
  const [isAsking, setAsking] = useState(false);
  const send = async (verb: Verb) => {
    setPending(verb);
    await act(verb, bot.id);
    setPending(null);
  };
  return (
    <div className="flex flex-wrap gap-1.5">
      {actionsOf(bot).map(({ verb, label, why }, index) => {
        const Icon = icons[verb];
        const icon = <Icon className="size-4" aria-hidden />;
        const isMain = index === 0 && !why && !isSmall;
        return (
          <Button
            key={index}
            variant={isSmall ? 'quiet' : verb === 'kill' ? 'danger' : isMain ? 'primary' : 'plain'}
            size={isSmall ? 'small' : 'usual'}
            className={isSmall ? 'w-9 px-0!' : undefined}
            icon={icon}
            sends
            busy={pending === verb}
            why={why && t(why)}
            aria-label={isSmall ? t('bots.action_of', { action: t(label), name: bot.name }) : undefined}
            onClick={() => (verb === 'kill' ? setAsking(true) : void send(verb))}
          >
            {!isSmall && t(label)}
          </Button>
        );
      })}
      <LazyConfirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('kill.title', { name: bot.name })}
        lead={t('kill.lead')}
        verb={t('verb.kill')}
        onConfirm={() => send('kill')}
      />
    </div>
  );
}
