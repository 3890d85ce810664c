// The tab "metrics" of a bot: what it used over time, as curves, in words and as a table to take away.
import type { MetricsData } from '@botel/contract/numbers';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChartLine, Download } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { read } from '../../api/calls.ts';
import { botQuery } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { classes } from '../../lib/classes.ts';
import { formatBytes, formatNumber, formatPercent } from '../../lib/format.ts';
import { ranges } from '../../metrics/ranges.ts';
import { csvOf, type Series, seriesOf, summaryOf } from '../../metrics/series.ts';
import { shownLanguage, t } from '../../texts/text.ts';

const Chart = lazy(async () => ({ default: (await import('../../metrics/chart.tsx')).Chart }));

const againMs = 60_000;

const asPercent = (value: number) => formatPercent(value, shownLanguage.get(), 1);
const asMb = (value: number) => `${formatNumber(value, shownLanguage.get())} MB`;
const asBytes = (value: number) => formatBytes(value, shownLanguage.get());

export function MetricsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { range = '1h' } = useSearch({ from: '/shell/bots/$botId/metrics' });
  const navigate = useNavigate({ from: '/bots/$botId/metrics' });
  const { data: bot } = useQuery(botQuery(botId));
  const { data, error, refetch } = useQuery({
    queryKey: ['metrics', botId, range],
    queryFn: ({ signal }) => read<MetricsData>(`/bots/${botId}/metrics?range=${range}`, signal),
    refetchInterval: againMs,
    placeholderData: (old) => old,
  });
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">{t('metrics.range')}</legend>
          {ranges.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === range}
              onClick={() => void navigate({ search: { range: each }, replace: true })}
              className={classes(
                'h-8 rounded-full px-3 text-sm touch:min-h-11',
                each === range ? 'bg-ink text-paper' : 'text-muted hover:bg-sunken hover:text-ink',
              )}
            >
              {t(`metrics.range.${each}`)}
            </button>
          ))}
        </fieldset>
        {data && (
          <p className="flex items-center gap-3 text-sm text-muted">
            {t('metrics.uptime', { percent: formatPercent(data.uptime_percent, shownLanguage.get(), 1) })}
            <Button
              size="small"
              icon={<Download className="size-4" aria-hidden />}
              onClick={() => saveCsv(`${bot?.name ?? botId}-${range}.csv`, csvOf(data.points))}
            >
              {t('metrics.csv')}
            </Button>
          </p>
        )}
      </div>
      {error && !data && <ErrorCard error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} height="14rem" />}
      {data && <Charts data={data} memoryMb={bot?.memory ?? null} />}
    </div>
  );
}

function Charts({ data, memoryMb }: { data: MetricsData; memoryMb: number | null }) {
  const { points } = data;
  const series = useMemo(
    () => ({
      cpu: seriesOf(points, (point) => point.cpu_percent),
      memory: seriesOf(points, (point) => point.memory_mb),
      received: seriesOf(points, (point) => point.net_rx_bytes),
      sent: seriesOf(points, (point) => point.net_tx_bytes),
      disk: seriesOf(points, (point) => point.disk_used_bytes),
    }),
    [points],
  );
  if (Object.values(series).every((each) => summaryOf(each) === null))
    return <Empty icon={<ChartLine />} title={t('metrics.empty')} />;
  const restarts = points.reduce((sum, point) => sum + point.restarts, 0);
  return (
    <>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Panel title={t('metrics.cpu')} series={series.cpu} limit={100} format={asPercent} />
        <Panel title={t('metrics.memory')} series={series.memory} limit={memoryMb} format={asMb} />
        <Panel title={t('metrics.received')} series={series.received} limit={null} format={asBytes} />
        <Panel title={t('metrics.sent')} series={series.sent} limit={null} format={asBytes} />
        <Panel title={t('metrics.disk')} series={series.disk} limit={null} format={asBytes} />
      </div>
      <p className="text-sm text-muted">{t('metrics.restarts', { count: restarts })}</p>
    </>
  );
}

interface PanelProps {
  title: string;
  series: Series;
  limit: number | null;
  format: (value: number) => string;
}

function Panel({ title, series, limit, format }: PanelProps) {
  const summary = summaryOf(series);
  if (!summary) return null;
  const { peak, average, p95 } = summary;
  return (
    <Card
      title={title}
      lead={t('metrics.summary', { peak: format(peak), average: format(average), p95: format(p95) })}
      className="min-w-0"
    >
      <Suspense fallback={<div style={{ height: 160 }} />}>
        <Chart series={series} limit={limit} format={format} />
      </Suspense>
    </Card>
  );
}

function saveCsv(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
