// Beside the log: what the bot uses, as it comes every few seconds, after the last minutes out of its stored numbers.
import type { BotData } from '@botel/contract/bots';
import type { MetricsData } from '@botel/contract/numbers';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { read } from '../api/calls.ts';
import { formatBytes, formatNumber, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { joinPoints, type NumbersPoint, peakOf } from '../lib/numbers-points.ts';
import { Sparkline } from '../kit/sparkline.tsx';

function lastHourQuery(botId: string) {
  return queryOptions({
    queryKey: ['metrics', botId, '1h'],
    queryFn: ({ signal }) => read<MetricsData>(`/bots/${botId}/metrics?range=1h`, signal),
  });
}

export function NumbersPanel({ bot }: { bot: BotData }) {
  const language = shownLanguage.get();
  const { data: hour } = useQuery(lastHourQuery(bot.id));
  const [live, setLive] = useState<NumbersPoint[]>([]);
  const { usage } = bot;
  if (usage && usage.at !== live.at(-1)?.at) setLive(joinPoints(live, [usage]));
  const points = joinPoints(hour?.points ?? [], live);
  const isOn = bot.status === 'online';
  // The newest of the two: the bot itself is read less often than its numbers come.
  const diskUsed = usage?.disk_used_bytes ?? bot.disk.used_bytes;
  const percent = (value: number | null) => (value === null ? '–' : formatPercent(value, language));
  const mb = (value: number | null) => (value === null ? '–' : `${formatNumber(value, language)} MB`);
  return (
    <section aria-label={t('numbers.label')} className="grid content-start gap-3 sm:grid-cols-2 wide:grid-cols-1">
      <Curve
        name={t('numbers.cpu')}
        now={isOn ? percent(usage?.cpu_percent ?? null) : t('numbers.none')}
        peak={percent(peakOf(points, 'cpu_percent'))}
        values={points.map((point) => point.cpu_percent)}
        limit={100}
      />
      <Curve
        name={t('numbers.memory')}
        now={isOn ? mb(usage?.memory_mb ?? null) : t('numbers.none')}
        of={t('numbers.limit', { value: mb(bot.memory) })}
        peak={mb(peakOf(points, 'memory_mb'))}
        values={points.map((point) => point.memory_mb)}
        limit={bot.memory}
      />
      <dl className="grid gap-1.5 rounded-card bg-surface p-3.5 text-sm shadow-card sm:col-span-2 wide:col-span-1">
        <Fact name={t('numbers.disk')}>
          {diskUsed === null ? '–' : formatBytes(diskUsed, language)}{' '}
          {t('numbers.limit', { value: formatBytes(bot.disk.limit_bytes, language) })}
        </Fact>
        {isOn && typeof usage?.net_rx_bytes === 'number' && typeof usage.net_tx_bytes === 'number' && (
          <Fact name={t('numbers.network')}>
            {t('numbers.received_sent', {
              received: formatBytes(usage.net_rx_bytes, language),
              sent: formatBytes(usage.net_tx_bytes, language),
            })}
          </Fact>
        )}
        {isOn && typeof usage?.pids === 'number' && (
          <Fact name={t('numbers.processes')}>{formatNumber(usage.pids, language)}</Fact>
        )}
        <Fact name={t('numbers.restarts')}>{formatNumber(bot.restarts_24h, language)}</Fact>
      </dl>
    </section>
  );
}

interface CurveProps {
  name: string;
  now: string;
  of?: string;
  peak: string;
  values: (number | null)[];
  limit: number;
}

function Curve({ name, now, of: whole, peak, values, limit }: CurveProps) {
  return (
    <div className="rounded-card bg-surface p-3.5 shadow-card">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-sm font-normal text-muted">{name}</h2>
        <p className="text-xs text-muted">{t('numbers.peak', { value: peak })}</p>
      </div>
      <p className="text-lg tabular-nums">
        {now} {whole && <span className="text-sm text-muted">{whole}</span>}
      </p>
      <Sparkline label={t('numbers.chart', { name, now, peak })} values={values} limit={limit} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-3">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
