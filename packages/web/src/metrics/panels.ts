// The charts of a bot's metrics: lines, limits, axes and summaries.
import type { MetricsData } from '@botel/contract/metrics';
import { formatBytes, formatNumber, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import type { ChartData, Line } from './chart.tsx';
import type { Mark } from './marks.ts';
import { type Field, type Reading, summaryOf, valuesOf } from './readings.ts';
import { type Span, topOf, type Unit } from './scale.ts';

export interface Panel {
  title: string;
  summary: string;
  data: ChartData;
}

interface PanelInput {
  readings: readonly Reading[];
  marks: readonly Mark[];
  span: Span;
  stored: MetricsData;
  size: { memory: number; diskLimit: number };
}

interface PanelOptions {
  title: string;
  unit: Unit;
  format: (value: number) => string;
  limit?: number;
  /** The axis goes up to the limit, however little is used. */
  always?: boolean;
  shape?: ChartData['shape'];
}

const asPercent = (value: number) => formatPercent(value, shownLanguage.get(), 1);
const asMb = (value: number) => `${formatNumber(value, shownLanguage.get())} MB`;
const asBytes = (value: number) => formatBytes(value, shownLanguage.get());
const asRate = (value: number) => `${asBytes(value)}/s`;
const asCount = (value: number) => formatNumber(value, shownLanguage.get(), 1);

/** Those with data. */
export function panelsOf(input: PanelInput): Panel[] {
  const { size, stored } = input;
  const line = (field: Field, name: string, tone: Line['tone'] = 'accent'): Line => ({
    name,
    tone,
    values: valuesOf(input.readings, field),
  });
  const panel = (
    { title, unit, format, limit, always = false, shape = 'line' }: PanelOptions,
    lines: Line[],
    said?: string,
  ) => {
    const all = summaryOf(lines.flatMap(({ values }) => values));
    if (!all) return [];
    const words = { peak: format(all.peak), average: format(all.average), p95: format(all.p95) };
    const { readings, marks, span } = input;
    const top = topOf(all.peak, unit, { limit: limit ?? null, always });
    const data = { times: readings.map(({ at }) => at), span, lines, marks, limit: limit ?? null, top, shape, format };
    return [{ title, summary: said ?? t('metrics.summary', words), data }];
  };
  const { points } = stored;
  const sumOf = (field: 'net_rx_bytes' | 'net_tx_bytes' | 'restarts') =>
    points.reduce((sum, point) => sum + (point[field] ?? 0), 0);
  const network = [line('received', t('metrics.received')), line('sent', t('metrics.sent'), 'info')];
  const peak = summaryOf(network.flatMap(({ values }) => values))?.peak ?? 0;
  const moved = { received: asBytes(sumOf('net_rx_bytes')), sent: asBytes(sumOf('net_tx_bytes')), peak: asRate(peak) };
  const disk = line('disk', t('metrics.disk'));
  const diskNow = {
    used: asBytes(disk.values.findLast((value) => value !== null) ?? 0),
    limit: asBytes(size.diskLimit),
  };
  const memory = { title: t('metrics.memory'), unit: 'mb', format: asMb, limit: size.memory, always: true } as const;
  return [
    ...panel({ title: t('metrics.cpu'), unit: 'percent', format: asPercent, limit: 100, always: true }, [
      line('cpu', t('metrics.cpu')),
    ]),
    ...panel(memory, [line('memory', t('metrics.memory'))]),
    ...panel({ title: t('metrics.network'), unit: 'bytes', format: asRate }, network, t('metrics.moved', moved)),
    ...panel(
      { title: t('metrics.disk'), unit: 'bytes', format: asBytes, limit: size.diskLimit },
      [disk],
      t('metrics.disk_now', diskNow),
    ),
    ...panel({ title: t('metrics.processes'), unit: 'count', format: asCount }, [
      line('processes', t('metrics.processes')),
    ]),
    ...panel(
      { title: t('metrics.restarts_title'), unit: 'count', format: asCount, shape: 'bars' },
      [line('restarts', t('metrics.restarts_title'))],
      t('metrics.restarts', { count: sumOf('restarts') }),
    ),
  ];
}
