// How long answers took, as counts by length: two of them are added number by number, so a curve needs no single times. Pure.

/** Upper bounds (ms, included) of the counts; one more counts what took longer. Columns of the store have their names. */
export const timeBounds = [5, 10, 20, 40, 70, 100, 150, 250, 400, 700, 1000, 2000, 4000, 10_000, 30_000] as const;

/** One count per bound, and the last one for what took longer. */
export type Times = readonly number[];

export const noTimes: Times = Array.from({ length: timeBounds.length + 1 }, () => 0);

/** Of one answer that took so long; null = of none. */
export function timesOf(ms: number | null): Times {
  if (ms === null) return noTimes;
  const found = timeBounds.findIndex((bound) => ms <= bound);
  return noTimes.with(found, 1);
}

export function addTimes(one: Times, other: Times): Times {
  return one.map((count, index) => count + (other[index] ?? 0));
}

/**
 * The time (whole ms) within which a share of the answers was over: true to the two bounds around it, in between by proportion.
 * `maxMs`: no answer took longer. Null where none was counted.
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
