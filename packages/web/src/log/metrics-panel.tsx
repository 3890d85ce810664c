// The metrics beside the log, updated every few seconds. On narrow screens it is one line that
// expands.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { recentMetricsQuery } from '../api/queries.ts';
import { onLiveMetrics, liveMetricsOf } from '../api/live-metrics.ts';
import { Sparkline } from '../kit/sparkline.tsx';
import { useUptime } from '../kit/time.tsx';
import { classes } from '../lib/classes.ts';
import { formatBytes, formatNumber, formatPercent } from '../lib/format.ts';
import { evenly, peakOf } from '../lib/metric-points.ts';
import { remember, remembered } from '../lib/preferences.ts';
import { liveReadings } from '../metrics/readings.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { usageSummary } from './usage-summary.ts';

/** A value per 10 s. */
const values = 90;
const wide = matchMedia('(min-width: 80rem)');

function onWidth(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

const percent = (value: number | null) => (value === null ? '–' : formatPercent(value, shownLanguage.get()));
const mb = (value: number | null) => (value === null ? '–' : `${formatNumber(value, shownLanguage.get())} MB`);

export function MetricsPanel({ bot }: { bot: BotData }) {
  const isWide = useSyncExternalStore(onWidth, () => wide.matches);
  const [isOpen, setOpen] = useState(remembered('numbers.open') === 'true');
  const toggle = () => {
    remember('numbers.open', String(!isOpen));
    setOpen(!isOpen);
  };
  const summary = usageSummary(bot);
  return (
    <section aria-label={t('numbers.label')} className="min-w-0">
      {!isWide && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="flex min-h-10 w-full items-center gap-3 rounded-card bg-surface px-3.5 text-sm shadow-card touch:min-h-11"
        >
          <span className="font-medium">{t('numbers.label')}</span>
          <span className="grow text-end text-muted tabular-nums">
            {typeof summary === 'string' ? t(summary) : `${percent(summary.cpu_percent)} · ${mb(summary.memory_mb)}`}
          </span>
          <ChevronDown className={classes('size-4 transition-transform', isOpen && 'rotate-180')} aria-hidden />
        </button>
      )}
      {(isWide || isOpen) && <PanelMetrics bot={bot} />}
    </section>
  );
}

function PanelMetrics({ bot }: { bot: BotData }) {
  const language = shownLanguage.get();
  const { data: curve } = useQuery({ ...recentMetricsQuery, select: (curves) => curves[bot.id] });
  const { usage } = bot;
  const points = curve?.points ?? [];
  const end = Date.parse(usage?.at ?? points.at(-1)?.at ?? '');
  const isOn = bot.status === 'online';
  const uptime = useUptime(curve?.uptimePercent, bot.created_at);
  // The newer of the two: metrics arrive more often than the bot is refetched.
  const diskUsed = usage?.disk_used_bytes ?? bot.disk.used_bytes;
  return (
    <div className="grid content-start gap-3 max-wide:mt-3 sm:grid-cols-2 wide:grid-cols-1">
      <MetricRow
        name={t('numbers.cpu')}
        now={isOn ? percent(usage?.cpu_percent ?? null) : t('numbers.none')}
        peak={percent(peakOf(points, 'cpu_percent'))}
        values={evenly(points, 'cpu_percent', end, values)}
        limit={100}
      />
      <MetricRow
        name={t('numbers.memory')}
        now={isOn ? mb(usage?.memory_mb ?? null) : t('numbers.none')}
        of={t('numbers.limit', { value: mb(bot.memory) })}
        peak={mb(peakOf(points, 'memory_mb'))}
        values={evenly(points, 'memory_mb', end, values)}
        limit={bot.memory}
      />
      <dl className="grid gap-1.5 rounded-card bg-surface p-3.5 text-sm shadow-card sm:col-span-2 wide:col-span-1">
        <Fact name={t('numbers.disk')}>
          {diskUsed === null ? '–' : formatBytes(diskUsed, language)}{' '}
          {t('numbers.limit', { value: formatBytes(bot.disk.limit_bytes, language) })}
        </Fact>
        {isOn && <Network bot={bot} />}
        {isOn && typeof usage?.pids === 'number' && (
          <Fact name={t('numbers.processes')}>{formatNumber(usage.pids, language)}</Fact>
        )}
        <Fact name={t('numbers.restarts')}>{formatNumber(bot.restarts_24h, language)}</Fact>
        {curve && <Fact name={t('numbers.uptime')}>{uptime === null ? '–' : formatPercent(uptime, language, 1)}</Fact>}
      </dl>
    </div>
  );
}

/** Current traffic, and the total of the run. */
function Network({ bot: { id, usage } }: { bot: BotData }) {
  const language = shownLanguage.get();
  const live = useSyncExternalStore(onLiveMetrics, () => liveMetricsOf(id));
  if (typeof usage?.net_rx_bytes !== 'number' || typeof usage.net_tx_bytes !== 'number') return null;
  const { received, sent } = liveReadings([], live, Date.parse(usage.at)).at(-1) ?? { received: null, sent: null };
  const inAll = {
    received: formatBytes(usage.net_rx_bytes, language),
    sent: formatBytes(usage.net_tx_bytes, language),
  };
  return (
    <>
      <Fact name={t('numbers.network')}>{t('numbers.received_sent', inAll)}</Fact>
      {received !== null && sent !== null && (
        <Fact name={t('numbers.network_now')}>
          {`↓ ${formatBytes(received, language)}/s ↑ ${formatBytes(sent, language)}/s`}
        </Fact>
      )}
    </>
  );
}

interface MetricRowProps {
  name: string;
  now: string;
  of?: string;
  peak: string;
  values: (number | null)[];
  limit: number;
}

function MetricRow({ name, now, of: whole, peak, values: shown, limit }: MetricRowProps) {
  return (
    <div className="rounded-card bg-surface p-3.5 shadow-card">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-sm font-normal text-muted">{name}</h2>
        <p className="text-xs text-muted">{t('numbers.peak', { value: peak })}</p>
      </div>
      <p className="text-lg tabular-nums">
        {now} {whole && <span className="text-sm text-muted">{whole}</span>}
      </p>
      <Sparkline label={t('numbers.chart', { name, now, peak })} values={shown} limit={limit} />
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
