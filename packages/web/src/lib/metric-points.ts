// Points of the small curves: stored ones, then live ones, each time once. Pure.

export interface MetricPoint {
  at: string;
  cpu_percent: number | null;
  memory_mb: number | null;
}

/** How far back the curves go. */
const shownMs = 15 * 60 * 1000;
const maxPoints = 400;

/** Both, by time; of the first only what is older than the second. */
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

/** A stored point tells of a minute, a live one of five seconds: older ones say nothing of a moment. */
const reachMs = 75_000;

/**
 * The curve as it is drawn: `count` values at equal distances over the last quarter of an hour before `now` (ms), null where
 * nothing is known. Points are by time.
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
