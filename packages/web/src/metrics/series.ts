// The numbers of a bot as series for charts, with what is said of them in words. Pure.
import type { MetricsData } from '@botel/contract/numbers';

/** `values[i]` belongs to `times[i]` (seconds since the epoch); null = nothing was measured. */
export interface Series {
  times: number[];
  values: (number | null)[];
}

export interface Summary {
  peak: number;
  average: number;
  p95: number;
}

type Point = MetricsData['points'][number];

export function seriesOf(points: readonly Point[], value: (point: Point) => number | null): Series {
  return { times: points.map(({ at }) => Date.parse(at) / 1000), values: points.map(value) };
}

/** Null when nothing was measured. */
export function summaryOf({ values }: Series): Summary | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const peak = known.at(-1);
  if (peak === undefined) return null;
  const average = known.reduce((sum, value) => sum + value, 0) / known.length;
  return { peak, average, p95: known[Math.ceil(known.length * 0.95) - 1] ?? peak };
}

/** The points as a table that spreadsheets read. */
export function csvOf(points: readonly Point[]): string {
  const [first] = points;
  if (!first) return '';
  const names = Object.keys(first) as (keyof Point)[];
  return [names.join(','), ...points.map((point) => names.map((name) => point[name] ?? '').join(','))].join('\n');
}
