// Apps: bots under names of their own, and whether a name is available.
import { z } from 'zod';
import { cursor, idInPath, judgedText, queryNumber, text, uuid, wholeNumber } from './input.ts';
import { statuses } from './vocabulary.ts';

/** As long as a URL may be: also what can't be a name gets an answer. */
export const checkParams = z.object({ name: z.string().meta({ maxLength: 8192 }) });

export const availability = z.union([
  z.strictObject({ available: z.literal(true), name: z.string(), url: z.string() }),
  z.strictObject({ available: z.literal(false), reason: z.string() }),
]);

/** The server judges it in the words of the check. */
const appName = judgedText(3, 32);

const isPath = (value: string) => /^\/[!-~]*$/.test(value);
const healthPathMax = 200;

export const createAppBody = z.object({
  bot_id: uuid(),
  name: appName,
  port: wholeNumber(1, 65_535).optional(),
  health_path: text(1, healthPathMax).refine(isPath, 'is not valid').optional(),
});

/** `port` 0 = what the bot has in `PORT`; `health_path` empty = none. */
export const updateAppBody = z.object({
  app_id: uuid(),
  name: appName.optional(),
  port: wholeNumber(0, 65_535).optional(),
  bot_id: uuid().optional(),
  health_path: text(0, healthPathMax)
    .refine((value) => value === '' || isPath(value), 'is not valid')
    .optional(),
});

export const appIdBody = z.object({ app_id: uuid() });

export const appParams = z.object({ id: idInPath() });

export const listAppsQuery = z.object({ limit: queryNumber(1, 100, 50), cursor: cursor() });

/** `port` null = what the bot has in `PORT`; `status` is the bot's. Requests of the last 24 hours,
 * how many of them were answered with 500 to 599, how many were refused over a limit of the
 * gateway, and the ms within which half and 95 % of the others were over (null = none was);
 * `last_request_at` null = none in 30 days. */
export const app = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  bot_id: z.string(),
  port: z.number().nullable(),
  health_path: z.string().nullable(),
  status: z.enum(statuses),
  last_request_at: z.string().nullable(),
  requests_24h: z.number(),
  errors_24h: z.number(),
  refused_24h: z.number(),
  ms_p50_24h: z.number().nullable(),
  ms_p95_24h: z.number().nullable(),
  created_at: z.string(),
});

export const appList = z.strictObject({
  apps: z.array(app),
  count: z.number(),
  next_cursor: z.string().nullable(),
  /** Address of an app on this server, with `*` for its name. */
  address: z.string(),
});

export type Availability = z.infer<typeof availability>;
export type AppData = z.infer<typeof app>;
export type AppListData = z.infer<typeof appList>;
