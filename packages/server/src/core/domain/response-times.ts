// Histogram of response times; two are merged by adding their counts. Pure.

/**
 * Upper bounds (ms, inclusive); one more bucket counts slower answers. Columns have these names.
 */
export const timeBounds = [5, 10, 20, 40, 70, 100, 150, 250, 400, 700, 1000, 2000, 4000, 10_000, 30_000] as const;

/** One count per bound, and a last one for slower answers. */
export type Times = readonly number[];

export const noTimes: Times = Array.from({ length: timeBounds.length + 1 }, () => 0);

/** The histogram of one answer; null = an empty one. */
export function timesOf(ms: number | null): Times {
  if (ms === null) return noTimes;
  const found = timeBounds.findIndex((bound) => ms <= bound);
  return noTimes.with(found, 1);
}

export function addTimes(one: Times, other: Times): Times {
  return one.map((count, index) => count + (other[index] ?? 0));
}

/**
 * The time (whole ms) within which a share of the answers completed, interpolated between bounds.
 * `maxMs`: the slowest answer. Null when nothing was counted.
 */
export function quantile(times: Times, share: number, maxMs: number): number | null {
  const all = times.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let left = share * all;
  for (const [index, count] of times.entries()) {
    const from = timeBounds[index - 1] ?? 0;
    const to = Math.max(from, Math.min(timeBounds[index] ?? maxMs, maxMs));
    if (left <= count) return Math.round(from + ((to - from) * left) / count);
    left -= count;
  }
  return maxMs;
}
