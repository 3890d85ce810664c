// The Console tab of a bot: exit banner, log, input line and metrics.
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { botQuery } from '../../api/queries.ts';
import { act } from '../../bots/act.ts';
import { ExitBanner } from '../../bots/exit-banner.tsx';
import { LazyConfirm } from '../../kit/lazy-confirm.tsx';
import { LogPanel } from '../../log/log-panel.tsx';
import { StdinLine } from '../../log/stdin-line.tsx';
import { t } from '../../texts/text.ts';

/** After the log, which is what users come for. */
const MetricsPanel = lazy(async () => ({ default: (await import('../../log/metrics-panel.tsx')).MetricsPanel }));

export function ConsoleTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { at, run } = useSearch({ from: '/shell/bots/$botId/' });
  const { data: bot } = useQuery(botQuery(botId));
  const [isAsking, setAsking] = useState(false);
  if (!bot) return null;
  return (
    <>
      <ExitBanner bot={bot} />
      <div className="grid gap-4 wide:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="min-w-0">
          <LogPanel
            key={`${botId} ${run}`}
            botId={botId}
            botName={bot.name}
            position={{ at, run }}
            onRestart={() => setAsking(true)}
          />
          {bot.stdin && <StdinLine bot={bot} />}
        </div>
        <Suspense fallback={<div />}>
          <MetricsPanel key={`${botId} numbers`} bot={bot} />
        </Suspense>
      </div>
      <LazyConfirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('exit.restart_question', { name: bot.name })}
        lead={t('exit.restart_lead')}
        verb={t('verb.restart')}
        onConfirm={async () => void (await act('restart', bot.id))}
      />
    </>
  );
}
