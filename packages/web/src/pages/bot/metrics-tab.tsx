// The Metrics tab of a bot: charts, summaries, tables and the timeline.
import type { BotData } from '@botel/contract/bots';
import type { MetricsData } from '@botel/contract/metrics';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChartLine, Download } from 'lucide-react';
import { useMemo, useState, useSyncExternalStore } from 'react';
import { botQuery, metricsQuery } from '../../api/queries.ts';
import { onLiveMetrics, liveMetricsOf } from '../../api/live-metrics.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { useNow, useUptime } from '../../kit/time.tsx';
import { classes } from '../../lib/classes.ts';
import { formatPercent } from '../../lib/format.ts';
import { saveText } from '../../lib/save-text.ts';
import { ValueStore } from '../../lib/value-store.ts';
import { ChartCard } from '../../metrics/chart-card.tsx';
import { marksOf, onlineSpans } from '../../metrics/marks.ts';
import { panelsOf } from '../../metrics/panels.ts';
import { type Range, ranges } from '../../metrics/ranges.ts';
import { csvOf, liveReadings, type Reading, storedReadings } from '../../metrics/readings.ts';
import { Timeline } from '../../metrics/timeline.tsx';
import { shownLanguage, t } from '../../texts/text.ts';

const liveStepMs = 10_000;

export function MetricsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { range = '1h' } = useSearch({ from: '/shell/bots/$botId/metrics' });
  const { data: bot } = useQuery(botQuery(botId));
  const { data, error, refetch } = useQuery({
    ...metricsQuery(botId, range === 'live' ? '15m' : range),
    placeholderData: (old) => old,
  });
  const readings = useReadings(bot, data, range);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Ranges range={range} />
        {readings.length > 0 && (
          <Button
            size="small"
            icon={<Download className="size-4" aria-hidden />}
            onClick={() => saveText(`${bot?.name ?? botId}-${range}.csv`, csvOf(readings))}
          >
            {t('metrics.csv')}
          </Button>
        )}
      </div>
      {error && !data && <ErrorCard error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} height="14rem" />}
      {data && bot && <Charts bot={bot} stored={data} readings={readings} isLive={range === 'live'} />}
    </div>
  );
}

function Ranges({ range }: { range: Range }) {
  const navigate = useNavigate({ from: '/bots/$botId/metrics' });
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{t('metrics.range')}</legend>
      {ranges.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === range}
          onClick={() => void navigate({ search: { range: each }, replace: true })}
          className={classes(
            'inline-flex h-8 items-center gap-1.5 rounded-full px-3 text-sm touch:min-h-11',
            each === range ? 'bg-ink text-paper' : 'text-muted hover:bg-sunken hover:text-ink',
          )}
        >
          {each === 'live' && <span className="size-2 rounded-full bg-current" aria-hidden />}
          {t(`metrics.range.${each}`)}
        </button>
      ))}
    </fieldset>
  );
}

function useReadings(bot: BotData | undefined, data: MetricsData | undefined, range: Range): Reading[] {
  const live = useSyncExternalStore(onLiveMetrics, () => liveMetricsOf(bot?.id ?? ''));
  const now = Math.floor(useNow() / liveStepMs) * liveStepMs;
  const [createdAt, isLive] = [bot ? Date.parse(bot.created_at) : null, range === 'live'];
  const stored = useMemo(() => (data && createdAt !== null ? storedReadings(data, createdAt) : []), [data, createdAt]);
  return useMemo(() => (isLive ? liveReadings(stored, live, now) : stored), [isLive, stored, live, now]);
}

interface ChartsProps {
  bot: BotData;
  stored: MetricsData;
  readings: Reading[];
  isLive: boolean;
}

function Charts({ bot, stored, readings, isLive }: ChartsProps) {
  const [cursor] = useState(() => new ValueStore<number | null>(null));
  const stepMs = isLive ? liveStepMs : stored.step_seconds * 1000;
  const [from, to] = [readings[0]?.at ?? 0, readings.at(-1)?.at ?? 0];
  const { memory, disk } = bot;
  // Charts show no other field of the bot.
  const size = useMemo(() => ({ memory, diskLimit: disk.limit_bytes }), [memory, disk.limit_bytes]);
  const { panels, marks, online, span } = useMemo(() => {
    const whole = { from, to };
    const found = marksOf(stored, { from, to: to + stepMs });
    return {
      span: whole,
      marks: found,
      online: onlineSpans(readings, stepMs),
      panels: panelsOf({ readings, marks: found, span: whole, stored, size }),
    };
  }, [readings, stored, stepMs, from, to, size]);
  const isKnown = readings.some(({ memory: used, cpu }) => used !== null || cpu !== null);
  const percent = useUptime(stored.uptime_percent, bot.created_at);
  const uptime =
    percent === null ? null : t('metrics.uptime', { percent: formatPercent(percent, shownLanguage.get(), 1) });
  return (
    <>
      {(isKnown || marks.length > 0) && (
        <Timeline marks={marks} online={online} span={span} uptime={uptime} cursor={cursor} />
      )}
      {!isKnown && (
        <Card>
          <Empty icon={<ChartLine />} title={t('metrics.empty')} />
        </Card>
      )}
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        {isKnown && panels.map((panel) => <ChartCard key={panel.title} {...panel} cursor={cursor} />)}
      </div>
    </>
  );
}
