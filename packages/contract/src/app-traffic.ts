// Requests to apps: their lines, history and download of them, and numbers over time.
import { z } from 'zod';
import { logDownloadQuery, logDropped, logsQuery, logStreamQuery } from './logs.ts';

const ofRuns = { run: true, stream: true } as const;

export const accessLogQuery = logsQuery.omit(ofRuns);
export const accessStreamQuery = logStreamQuery.omit(ofRuns);
export const accessDownloadQuery = logDownloadQuery.omit(ofRuns);

/** A request; `ts` is when it was over. `run` is the bot's that answered, 0 = none (with 429: over
 * a limit of the gateway); `status` 0 = the client left before an answer, 101 = a connection that
 * changed its protocol. `path` is without the query, bytes are those of bodies. */
export const accessLine = z.strictObject({
  seq: z.number(),
  ts: z.string(),
  run: z.number(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  ms: z.number(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  address: z.string(),
});

/** `next_seq`: `before` of the next page, or its `after` where that was given; null when there is
 * no more. */
export const accessHistory = z.strictObject({
  lines: z.array(z.union([accessLine, logDropped])),
  has_more: z.boolean(),
  next_seq: z.number().nullable(),
});

/** `at` is the beginning of the step. `refused` are those over a limit of the gateway, a part of
 * `status_4xx`. Times are of the others, but for connections that changed their protocol; `ms_p50`
 * and `ms_p95` are those within which half and 95 % were over, from counts by length. All is null
 * before the app was there; times also where there are none. */
export const appMetricsPoint = z.strictObject({
  at: z.string(),
  requests: z.number().nullable(),
  status_2xx: z.number().nullable(),
  status_3xx: z.number().nullable(),
  status_4xx: z.number().nullable(),
  status_5xx: z.number().nullable(),
  refused: z.number().nullable(),
  ms_avg: z.number().nullable(),
  ms_max: z.number().nullable(),
  ms_p50: z.number().nullable(),
  ms_p95: z.number().nullable(),
  bytes_in: z.number().nullable(),
  bytes_out: z.number().nullable(),
});

export const appMetrics = z.strictObject({ step_seconds: z.number(), points: z.array(appMetricsPoint) });

export type AccessLineData = z.infer<typeof accessLine>;
export type AccessHistoryData = z.infer<typeof accessHistory>;
export type AppMetricsData = z.infer<typeof appMetrics>;
