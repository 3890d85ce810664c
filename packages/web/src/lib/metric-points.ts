// The points of sparklines: stored ones, then live ones, without duplicates. Pure.

export interface MetricPoint {
  at: string;
  cpu_percent: number | null;
  memory_mb: number | null;
}

/** How far back sparklines go. */
const shownMs = 15 * 60 * 1000;
const maxPoints = 400;

/** Both, sorted by time; `before` only as far as it is older than `after`. */
export function joinPoints(before: readonly MetricPoint[], after: readonly MetricPoint[]): MetricPoint[] {
  const first = after[0]?.at;
  const points = [...before.filter((point) => first === undefined || point.at < first), ...after];
  const last = Date.parse(points.at(-1)?.at ?? '');
  return points.filter((point) => last - Date.parse(point.at) <= shownMs).slice(-maxPoints);
}

export function peakOf(points: readonly MetricPoint[], field: 'cpu_percent' | 'memory_mb'): number | null {
  const known = points.flatMap((point) => point[field] ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

/** A stored point covers a minute, a live one five seconds; older ones don't count for a moment. */
const reachMs = 75_000;

/**
 * The series as drawn: `count` values at equal distances over the 15 minutes before `now` (ms),
 * null where nothing is known. Points are sorted by time.
 */
export function evenly(
  points: readonly MetricPoint[],
  field: 'cpu_percent' | 'memory_mb',
  now: number,
  count: number,
): (number | null)[] {
  let next = 0;
  return Array.from({ length: count }, (_, index) => {
    const moment = now - shownMs + (shownMs * (index + 1)) / count;
    while (next < points.length && Date.parse(points[next]!.at) <= moment) next++;
    const newest = points[next - 1];
    return newest && moment - Date.parse(newest.at) <= reachMs ? newest[field] : null;
  });
}
