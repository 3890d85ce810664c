// The CPU usage of a bot over the last minutes, as a sparkline and a number.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { recentMetricsQuery } from '../api/queries.ts';
import { Sparkline } from '../kit/sparkline.tsx';
import { formatPercent } from '../lib/format.ts';
import { evenly } from '../lib/metric-points.ts';
import { shownLanguage, t } from '../texts/text.ts';

/** A value per 20 s. */
const values = 45;
/** Keeps low usage visibly low. */
const minPercent = 25;

export function CpuSparkline({ bot: { id, status, usage } }: { bot: BotData }) {
  const { data } = useQuery({ ...recentMetricsQuery, select: (curves) => curves[id] });
  const now = usage?.cpu_percent ?? null;
  if (status !== 'online') return '–';
  const language = shownLanguage.get();
  const points = data?.points ?? [];
  const end = Date.parse(usage?.at ?? points.at(-1)?.at ?? '');
  const curve = evenly(points, 'cpu_percent', end, values);
  const text = now === null ? '–' : formatPercent(now, language, 1);
  const peak = formatPercent(Math.max(0, ...curve.map((value) => value ?? 0)), language);
  return (
    <span className="flex items-center gap-2">
      <Sparkline
        label={t('numbers.chart', { name: t('bots.col_cpu'), now: text, peak })}
        values={curve}
        minTop={minPercent}
        className="h-6 w-20 shrink-0"
      />
      <span className="min-w-11 whitespace-nowrap">{text}</span>
    </span>
  );
}
