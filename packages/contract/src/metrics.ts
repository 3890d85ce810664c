// Numbers of a bot: what it uses now, and its curves over time. Sizes of memory in MB, with one
// digit.
import { z } from 'zod';
import { oneOf, optionalNumber } from './input.ts';
import { metricsRanges } from './vocabulary.ts';

/** `cpu_percent` is of the bot's own vCPU; bytes of the network count from the start of the run. */
export const usageNow = z.strictObject({
  at: z.string(),
  cpu_percent: z.number().nullable(),
  memory_mb: z.number().nullable(),
  memory_limit_mb: z.number(),
  memory_peak_mb: z.number().nullable(),
  disk_used_bytes: z.number().nullable(),
  disk_limit_bytes: z.number(),
  net_rx_bytes: z.number().nullable(),
  net_tx_bytes: z.number().nullable(),
  pids: z.number().nullable(),
  uptime_seconds: z.number().nullable(),
});

/** `used_…` null until they were counted. Files and folders. */
export const diskNow = z.strictObject({
  used_bytes: z.number().nullable(),
  limit_bytes: z.number(),
  used_files: z.number().nullable(),
  limit_files: z.number(),
});

export const metricsQuery = z.object({
  range: oneOf(metricsRanges),
  step_seconds: optionalNumber(1, 2_592_000),
});

/** `at` is the beginning of the step. What a bot uses is null while it was offline; bytes of the
 * network and restarts (those that nobody asked for) are those of the step. */
export const metricsPoint = z.strictObject({
  at: z.string(),
  cpu_percent: z.number().nullable(),
  memory_mb: z.number().nullable(),
  disk_used_bytes: z.number().nullable(),
  net_rx_bytes: z.number().nullable(),
  net_tx_bytes: z.number().nullable(),
  pids: z.number().nullable(),
  restarts: z.number(),
});

/** `markers`: `started`, `built`, `backup`, `restored`, or the reason of an end; the newest 400,
 * oldest first. */
export const metrics = z.strictObject({
  step_seconds: z.number(),
  points: z.array(metricsPoint),
  markers: z.array(z.strictObject({ at: z.string(), type: z.string() })),
  uptime_percent: z.number(),
});

/** The last minutes of one of all bots: a value per step, null while it was offline.
 * `uptime_percent` is of the last 24 hours, or of the time since the bot was made. */
const botCurves = z.strictObject({
  bot_id: z.string(),
  uptime_percent: z.number(),
  cpu_percent: z.array(z.number().nullable()),
  memory_mb: z.array(z.number().nullable()),
});

/** `from` is the beginning of the first step. */
export const allMetrics = z.strictObject({ from: z.string(), step_seconds: z.number(), bots: z.array(botCurves) });

export type AllMetricsData = z.infer<typeof allMetrics>;
export type UsageNowData = z.infer<typeof usageNow>;
export type MetricsData = z.infer<typeof metrics>;
