// Converts metrics to the JSON of the contract. Pure.
import type { AppMetricsData } from '@botel/contract/app-traffic';
import type { AllMetricsData, MetricsData } from '@botel/contract/metrics';
import { quantile } from '../../core/domain/response-times.ts';
import type { AppMetrics } from '../services/app-traffic.ts';
import type { AllCurves, Metrics } from '../services/metrics.ts';
import { inMb, isoTime } from '../../core/http/present.ts';

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

export function presentAllMetrics({ from, stepSeconds, bots }: AllCurves): AllMetricsData {
  return {
    from: isoTime(from),
    step_seconds: stepSeconds,
    bots: bots.map(({ id, uptimePercent, minutes }) => ({
      bot_id: id,
      uptime_percent: uptimePercent,
      cpu_percent: minutes.map((minute) => minute?.cpuPercent ?? null),
      memory_mb: minutes.map((minute) => minute && inMb(minute.memoryBytes)),
    })),
  };
}

export function presentAppMetrics({ stepSeconds, points }: AppMetrics): AppMetricsData {
  return {
    step_seconds: stepSeconds,
    points: points.map(({ at, traffic }) => ({
      at: isoTime(at),
      requests: traffic?.requests ?? null,
      status_2xx: traffic?.status2xx ?? null,
      status_3xx: traffic?.status3xx ?? null,
      status_4xx: traffic?.status4xx ?? null,
      status_5xx: traffic?.status5xx ?? null,
      refused: traffic?.refused ?? null,
      ms_avg: traffic?.timed ? Math.round((traffic.msSum / traffic.timed) * 10) / 10 : null,
      ms_max: traffic?.timed ? traffic.msMax : null,
      ms_p50: traffic && quantile(traffic.times, 0.5, traffic.msMax),
      ms_p95: traffic && quantile(traffic.times, 0.95, traffic.msMax),
      bytes_in: traffic?.bytesIn ?? null,
      bytes_out: traffic?.bytesOut ?? null,
    })),
  };
}
