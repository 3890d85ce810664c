// Metrics as drawn: stored steps followed by live samples, network bytes as rates. Pure.
import type { MetricsData, UsageNowData } from '@botel/contract/metrics';

/** `at` is ms since the epoch; null = nothing was measured. Bytes of the network per second. */
export interface Reading {
  at: number;
  cpu: number | null;
  memory: number | null;
  disk: number | null;
  received: number | null;
  sent: number | null;
  processes: number | null;
  /** Unplanned restarts within the step. */
  restarts: number;
}

export type Field = Exclude<keyof Reading, 'at'>;

export interface Summary {
  peak: number;
  average: number;
  p95: number;
}

const minuteMs = 60_000;
const liveMs = 15 * minuteMs;
/** Samples of a running bot come every ten seconds; a longer gap means it wasn't running. */
const liveGapMs = 35_000;

/** Stored steps from `since` (ms) on: there is nothing before the bot's creation. */
export function storedReadings({ points, step_seconds: step }: MetricsData, since: number): Reading[] {
  const rate = (bytes: number | null) => (bytes === null ? null : bytes / step);
  return points
    .map((point) => ({
      at: Date.parse(point.at),
      cpu: point.cpu_percent,
      memory: point.memory_mb,
      disk: point.disk_used_bytes,
      received: rate(point.net_rx_bytes),
      sent: rate(point.net_tx_bytes),
      processes: point.pids,
      restarts: point.restarts,
    }))
    .filter(({ at }) => at + step * 1000 > since);
}

/**
 * The last quarter of an hour before `now` (ms): minutes as they are stored, then what came live.
 */
export function liveReadings(stored: readonly Reading[], live: readonly UsageNowData[], now: number): Reading[] {
  const readings: Reading[] = [];
  for (const [index, usage] of live.entries()) {
    const at = Date.parse(usage.at);
    const before = live[index - 1];
    const isNext = before !== undefined && at - Date.parse(before.at) <= liveGapMs;
    if (before && !isNext) readings.push(nothingAt(at - 1));
    // The first sample has no predecessor: it takes the rate of the next one.
    const [one, other] = isNext ? [before, usage] : [usage, live[index + 1]];
    readings.push({
      at,
      cpu: usage.cpu_percent,
      memory: usage.memory_mb,
      disk: usage.disk_used_bytes,
      received: rateBetween(one, other, 'net_rx_bytes'),
      sent: rateBetween(one, other, 'net_tx_bytes'),
      processes: usage.pids,
      restarts: 0,
    });
  }
  const first = readings[0]?.at ?? now + minuteMs;
  const older = stored.filter(({ at }) => at + minuteMs <= first);
  const last = readings.at(-1);
  const isOver = last !== undefined && now - last.at > liveGapMs;
  return [...older, ...readings, ...(isOver ? [nothingAt(now)] : [])].filter(({ at }) => at >= now - liveMs);
}

function nothingAt(at: number): Reading {
  return { at, cpu: null, memory: null, disk: null, received: null, sent: null, processes: null, restarts: 0 };
}

/** Per second; null if they are too far apart or the counter was reset. */
function rateBetween(
  one: UsageNowData,
  other: UsageNowData | undefined,
  field: 'net_rx_bytes' | 'net_tx_bytes',
): number | null {
  const [before, after] = [one[field], other?.[field] ?? null];
  const ms = other ? Date.parse(other.at) - Date.parse(one.at) : 0;
  if (before === null || after === null || after < before || ms <= 0 || ms > liveGapMs) return null;
  return ((after - before) / ms) * 1000;
}

export function valuesOf(readings: readonly Reading[], field: Field): (number | null)[] {
  return readings.map((reading) => reading[field]);
}

/** Null when nothing was measured. */
export function summaryOf(values: readonly (number | null)[]): Summary | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const peak = known.at(-1);
  if (peak === undefined) return null;
  const average = known.reduce((sum, value) => sum + value, 0) / known.length;
  return { peak, average, p95: known[Math.ceil(known.length * 0.95) - 1] ?? peak };
}

/** As a table that spreadsheets read. */
export function csvOf(readings: readonly Reading[]): string {
  const head =
    'at,cpu_percent,memory_mb,disk_used_bytes,received_bytes_per_second,sent_bytes_per_second,processes,restarts';
  const rows = readings.map(({ at, cpu, memory, disk, received, sent, processes, restarts }) =>
    [new Date(at).toISOString(), cpu, memory, disk, rounded(received), rounded(sent), processes, restarts]
      .map((value) => value ?? '')
      .join(','),
  );
  return [head, ...rows, ''].join('\n');
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
