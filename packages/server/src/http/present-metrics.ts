// Turns curves of numbers into the JSON of the contract. Pure.
import type { MetricsData } from '@botel/contract/numbers';
import type { Metrics } from '../services/numbers.ts';
import { inMb, isoTime } from './present.ts';

export function presentMetrics({ stepSeconds, points, markers, uptimePercent }: Metrics): MetricsData {
  return {
    step_seconds: stepSeconds,
    points: points.map(({ at, usage, restarts }) => ({
      at: isoTime(at),
      cpu_percent: usage?.cpuPercent ?? null,
      memory_mb: usage && inMb(usage.memoryBytes),
      disk_used_bytes: usage?.diskBytes ?? null,
      net_rx_bytes: usage?.netRxBytes ?? null,
      net_tx_bytes: usage?.netTxBytes ?? null,
      pids: usage?.pids ?? null,
      restarts,
    })),
    markers: markers.map(({ at, type }) => ({ at: isoTime(at), type })),
    uptime_percent: uptimePercent,
  };
}
