// Schedules of a bot: what a client sends and what it gets.
import { z } from 'zod';
import { bool, idInPath, oneOf, plainText, text, uuid, wholeNumber } from './input.ts';
import { scheduleActions } from './vocabulary.ts';

/** Five fields; the server knows whether they mean something. */
const cron = text(1, 100);

const timezone = text(1, 64).refine(isTimeZone, 'is not valid');

export const createScheduleBody = z.object({
  name: plainText(1, 64),
  cron,
  timezone: timezone.optional(),
  action: oneOf(scheduleActions),
  enabled: bool().optional(),
  keep: wholeNumber(1, 8).optional(),
});

/** `keep` 0 = all backups are kept. */
export const updateScheduleBody = z.object({
  schedule_id: uuid(),
  name: plainText(1, 64).optional(),
  cron: cron.optional(),
  timezone: timezone.optional(),
  action: oneOf(scheduleActions).optional(),
  enabled: bool().optional(),
  keep: wholeNumber(0, 8).optional(),
});

export const scheduleIdBody = z.object({ schedule_id: uuid() });

export const scheduleParams = z.object({ id: idInPath() });

/** `ok` is null while it is under way. */
export const scheduleRun = z.strictObject({ at: z.string(), ok: z.boolean().nullable(), error: z.string().nullable() });

export const schedule = z.strictObject({
  id: z.string(),
  bot_id: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  action: z.enum(scheduleActions),
  enabled: z.boolean(),
  keep: z.number().nullable(),
  next_run_at: z.string().nullable(),
  last_run: scheduleRun.nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** All of them: a bot has few schedules, a schedule few runs. */
export const scheduleList = z.strictObject({
  schedules: z.array(schedule),
  count: z.number(),
  next_cursor: z.null(),
});
export const scheduleRunList = z.strictObject({ runs: z.array(scheduleRun), count: z.number(), next_cursor: z.null() });

export type ScheduleData = z.infer<typeof schedule>;
export type ScheduleListData = z.infer<typeof scheduleList>;
export type ScheduleRunListData = z.infer<typeof scheduleRunList>;

/** Names of the IANA database only, not the offsets that the platform takes too. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
