// The runs of a bot: start, end and its reason, peak memory, and a link to their log lines.
import type { RunData, RunListData } from '@botel/contract/runs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleStop, Hammer, Play, ScrollText, TriangleAlert } from 'lucide-react';
import { pagedQuery } from '../api/paged-query.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { Empty, Pending } from '../kit/states.tsx';
import { Ago, Since } from '../kit/time.tsx';
import { classes } from '../lib/classes.ts';
import { formatDuration, formatMoment, formatNumber } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';

export function RunList({ botId }: { botId: string }) {
  const list = useInfiniteQuery(pagedQuery<RunListData>(['runs', botId], `/bots/${botId}/runs`));
  const { data } = list;
  if (!data) return <Pending query={list} rows={6} height="3.5rem" />;
  const runs = data.pages.flatMap((page) => page.runs);
  if (runs.length === 0) return <Empty icon={<Play />} title={t('runs.empty')} />;
  return (
    <div className="grid gap-4">
      <ol>
        {runs.map((run) => (
          <RunRow key={run.run} botId={botId} run={run} />
        ))}
      </ol>
      <MoreButton list={list} label={t('activity.more')} />
    </div>
  );
}

function RunRow({ botId, run }: { botId: string; run: RunData }) {
  const language = shownLanguage.get();
  const { exit, began_at: began, started_at: started, kind, automatic } = run;
  const facts = [
    kind === 'build' && t('runs.build'),
    automatic && t('runs.automatic'),
    exit && exit.uptime_seconds >= 1 && t('exit.after', { time: formatDuration(exit.uptime_seconds, language) }),
    exit?.code !== null && exit?.code !== undefined && t('exit.code', { code: String(exit.code) }),
    exit?.memory_peak_mb && t('runs.peak', { peak: formatNumber(exit.memory_peak_mb, language) }),
  ].filter((fact) => typeof fact === 'string');
  return (
    <li className="flex gap-3 border-b border-line py-2.5 last:border-0">
      <RunIcon run={run} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap gap-x-2">
          <span className="font-medium">{t('runs.run', { run: run.run })}</span>
          {exit ? (
            <span>{exit.message}</span>
          ) : (
            <span>
              {t(kind === 'build' ? 'runs.building' : 'runs.running')} <Since at={started ?? began} />
            </span>
          )}
        </p>
        {exit?.hint && <p className="text-sm">{exit.hint.text}</p>}
        <p className="text-sm text-muted tabular-nums">
          {formatMoment(Date.parse(started ?? began), language)}
          {exit && (
            <>
              {' – '}
              {formatMoment(Date.parse(exit.at), language)}
              {' · '}
              <Ago at={exit.at} />
            </>
          )}
        </p>
        {facts.length > 0 && <p className="text-sm text-muted">{facts.join(' · ')}</p>}
      </div>
      <Link
        to="/bots/$botId"
        params={{ botId }}
        search={{ run: run.run }}
        aria-label={t('runs.log_of', { run: run.run })}
        className="inline-flex h-8 shrink-0 items-center gap-1.5 rounded-lg px-2.5 text-sm font-medium text-accent hover:bg-sunken touch:min-h-11"
      >
        <ScrollText className="size-4" aria-hidden />
        {t('runs.log')}
      </Link>
    </li>
  );
}

const asked = ['stopped', 'killed'];

function RunIcon({ run: { exit, kind } }: { run: RunData }) {
  const isWell = exit === null || (kind === 'build' && exit.reason === 'exited');
  const isAsked = exit !== null && asked.includes(exit.reason);
  const Icon = kind === 'build' && isWell ? Hammer : isWell ? CircleCheck : isAsked ? CircleStop : TriangleAlert;
  const colour = isWell ? 'text-good' : isAsked ? 'text-muted' : 'text-bad';
  return <Icon className={classes('mt-1 size-4 shrink-0', colour)} aria-hidden />;
}
