// Logs: lines as they are stored, history, and the events of the live stream.
import { z } from 'zod';
import { exit } from './bots.ts';
import { oneOf, optionalNumber, queryNumber, queryTime, text } from './input.ts';
import { logDropReasons, logEndReasons, logFileFormats, logGapReasons, logStreams, statuses } from './vocabulary.ts';

const seqMax = 999_999_999_999_999;

const filters = {
  run: z
    .string({ error: 'is not valid' })
    .regex(/^(last|\d{1,9})$/, 'must be a whole number or last')
    .transform((value) => (value === 'last' ? ('last' as const) : Number(value)))
    .optional(),
  stream: oneOf(logStreams).optional(),
};

export const logsQuery = z.object({
  limit: queryNumber(1, 1000, 200),
  after: optionalNumber(0, seqMax),
  before: optionalNumber(0, seqMax),
  since: queryTime(),
  until: queryTime(),
  q: text(1, 200).optional(),
  ...filters,
});

export const logStreamQuery = z.object({
  after: optionalNumber(0, seqMax),
  since: queryTime(),
  tail: queryNumber(0, 5000, 200),
  ...filters,
});

export const logDownloadQuery = z.object({
  since: queryTime(),
  until: queryTime(),
  q: text(1, 200).optional(),
  format: oneOf(logFileFormats).optional(),
  ...filters,
});

export const logText = z.strictObject({
  seq: z.number(),
  ts: z.string(),
  run: z.number(),
  stream: z.enum(logStreams),
  text: z.string(),
  partial: z.boolean(),
});

export const logDropped = z.strictObject({
  seq: z.number(),
  ts: z.string(),
  run: z.number(),
  dropped: z.literal(true),
  count: z.number().nullable(),
  reason: z.enum(logDropReasons),
});

/** `next_seq`: `before` of the next page, or its `after` where that was given; null when there is
 * no more. */
export const logHistory = z.strictObject({
  lines: z.array(z.union([logText, logDropped])),
  has_more: z.boolean(),
  next_seq: z.number().nullable(),
});

/** Data of each event of the stream. */
export const logEvents = {
  log: logText,
  dropped: logDropped,
  status: z.strictObject({
    status: z.enum(statuses),
    status_reason: z.string().nullable(),
    phase: z.string().nullable(),
    next_restart_at: z.string().nullable(),
  }),
  exit,
  gap: z.strictObject({ from: z.number(), to: z.number(), reason: z.enum(logGapReasons) }),
  ping: z.strictObject({ ts: z.string() }),
  end: z.strictObject({ reason: z.enum(logEndReasons) }),
} as const;

export type LogTextData = z.infer<typeof logText>;
export type LogDroppedData = z.infer<typeof logDropped>;
export type LogHistoryData = z.infer<typeof logHistory>;
export type LogStatusData = z.infer<(typeof logEvents)['status']>;
