// Bots: what a client sends and what it gets (docs/specification.md).
import { z } from 'zod';
import { bool, cursor, idInPath, oneOf, queryNumber, text, uuid, wholeNumber } from './input.ts';
import { diskNow, usageNow } from './metrics.ts';
import { botNetworks, botSorts, languages, restartModes, statuses, stopSignals } from './vocabulary.ts';

const memoryFault = 'must be a whole number of MB, at least 128';

const botName = text(1, 64).refine(
  (value) => /^[A-Za-z0-9_-]*$/.test(value),
  'may contain only letters, numbers, underscores and hyphens',
);

const startupCommand = text(1, 2000).refine(
  (value) => value.trim() !== '' && !value.includes('\0') && value.isWellFormed(),
  'is not valid',
);

const memory = z
  .number({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a number') })
  .refine((value) => Number.isSafeInteger(value) && value >= 128, memoryFault)
  .meta({ type: 'integer', minimum: 128, maximum: Number.MAX_SAFE_INTEGER });

/** The server checks keys and values. */
const environmentInput = z
  .record(z.string(), z.unknown(), {
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object with string values'),
  })
  .meta({
    maxProperties: 100,
    additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 65_536 },
  });

/** Empty = what the language expects. */
const buildCommand = text(0, 2000).refine((value) => !value.includes('\0') && value.isWellFormed(), 'is not valid');

export const createBotBody = z.object({
  name: botName,
  language: oneOf(languages),
  memory,
  startup_command: startupCommand,
  build_command: buildCommand.optional(),
  environment: environmentInput.optional(),
});

/** What is left out is as in the backup. */
export const createFromBackupBody = z.object({
  backup_id: uuid(),
  name: botName.optional(),
  memory: memory.optional(),
});

export const botIdBody = z.object({ bot_id: uuid() });

export const stopBotBody = z.object({ bot_id: uuid(), grace_seconds: wholeNumber(0, 300).optional() });

export const deleteBotBody = z.object({ bot_id: uuid(), force: bool().optional() });

/** `max_retries` null = no end; a field that is left out gets its default. */
const restartPolicyInput = z.object(
  {
    mode: oneOf(restartModes),
    max_retries: wholeNumber(1, 1000).optional(),
    backoff_max_seconds: wholeNumber(1, 3600).optional(),
  },
  { error: 'must be an object' },
);

const stopInput = z.object(
  { signal: oneOf(stopSignals).optional(), grace_seconds: wholeNumber(1, 300).optional() },
  { error: 'must be an object' },
);

/** Debian packages that a bot may ask for beside its runtime. */
const packagesMax = 16;

/** Smallest `disk_mb` of a bot or plan: less has no room for a file system. */
export const diskMinMb = 16;

export const updateBotBody = z.object({
  bot_id: uuid(),
  name: botName.optional(),
  memory: memory.optional(),
  startup_command: startupCommand.optional(),
  build_command: buildCommand.optional(),
  runtime_version: text(1, 64).optional(),
  packages: z
    .array(text(1, 64), { error: 'must be a list' })
    .max(packagesMax, `must have at most ${packagesMax} entries`)
    .optional(),
  restart_policy: restartPolicyInput.optional(),
  stop: stopInput.optional(),
  network: oneOf(botNetworks).optional(),
  stdin: bool().optional(),
  disk_mb: wholeNumber(diskMinMb, 1_048_576).optional(),
});

const inputBytes = 4096;
const inputFault = `must be between 1 and ${inputBytes} bytes`;

/** Written unchanged: a line needs its own newline. */
export const inputBody = z.object({
  bot_id: uuid(),
  text: text(1, inputBytes, inputFault)
    .refine((value) => new TextEncoder().encode(value).length <= inputBytes, inputFault)
    .refine((value) => value.isWellFormed(), 'is not valid'),
});

export const writtenInput = z.strictObject({ bytes: z.number() });

export const replaceEnvironmentBody = z.object({ environment: environmentInput });

export const setEnvironmentBody = z.object({
  bot_id: uuid(),
  set: environmentInput.optional(),
  unset: z.array(text(1, 128), { error: 'must be a list' }).max(100, 'must have at most 100 entries').optional(),
});

export const environment = z.strictObject({
  environment: z.record(z.string(), z.string()),
  needs_restart: z.boolean(),
});

export const waitQuery = z.object({ status: oneOf(statuses), timeout: queryNumber(1, 60, 30) });

export const runtimes = z.strictObject({
  runtimes: z.array(
    z.strictObject({ language: z.enum(languages), versions: z.array(z.string()), default: z.string() }),
  ),
  /** Names of Debian packages that bots may ask for. */
  packages: z.array(z.string()),
});

export const botParams = z.object({ id: idInPath() });

export const listBotsQuery = z.object({
  limit: queryNumber(1, 100, 50),
  cursor: cursor(),
  status: oneOf(statuses).optional(),
  q: text(1, 200).optional(),
  sort: oneOf(botSorts).optional(),
});

/** Exactly what POST /bots/create returns. */
export const createdBot = z.strictObject({
  id: z.string(),
  name: z.string(),
  language: z.enum(languages),
  memory: z.number(),
  vcpu: z.number(),
  status: z.enum(statuses),
  startup_command: z.string(),
});

const time = z.string().nullable();

export const exit = z.strictObject({
  at: z.string(),
  run: z.number(),
  code: z.number().nullable(),
  signal: z.string().nullable(),
  oom: z.boolean(),
  reason: z.string(),
  message: z.string(),
  /** What most likely ended the run: for programs, and in `text` as one sentence for people. */
  hint: z.strictObject({ code: z.string(), values: z.record(z.string(), z.unknown()), text: z.string() }).nullable(),
  last_lines: z.array(z.string()),
  uptime_seconds: z.number(),
  memory_peak_mb: z.number().nullable(),
});

/** What GET /bots/:id and lists return. */
export const bot = z.strictObject({
  ...createdBot.shape,
  status_reason: z.string().nullable(),
  phase: z.string().nullable(),
  desired_status: z.enum(['online', 'offline']),
  generation: z.number(),
  last_exit: exit.nullable(),
  next_restart_at: time,
  restart_count: z.number(),
  restarts_24h: z.number(),
  run: z.number(),
  started_at: time,
  uptime_seconds: z.number().nullable(),
  restart_policy: z.strictObject({
    mode: z.enum(restartModes),
    max_retries: z.number().nullable(),
    backoff_max_seconds: z.number(),
  }),
  stop: z.strictObject({ signal: z.string(), grace_seconds: z.number() }),
  runtime_version: z.string(),
  packages: z.array(z.string()),
  build_command: z.string().nullable(),
  network: z.enum(botNetworks),
  stdin: z.boolean(),
  environment_keys: z.array(z.string()),
  needs_restart: z.boolean(),
  usage: usageNow.nullable(),
  disk: diskNow,
  app: z.strictObject({ id: z.string(), name: z.string(), url: z.string() }).nullable(),
  suspended: z.boolean(),
  /** In the words of the admin, '' without any; null = not suspended. */
  suspended_reason: z.string().nullable(),
  role: z.string(),
  container: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  observed_at: time,
});

export const botList = z.strictObject({ bots: z.array(bot), count: z.number(), next_cursor: z.string().nullable() });

/** Answer of GET /bots/:id/wait. */
export const waited = z.strictObject({ bot, reached: z.boolean() });

/** Answer of every lifecycle call. */
export const lifecycle = z.strictObject({ status: z.enum(statuses) });

export const deletedBot = z.strictObject({ id: z.string(), deleted_at: z.string() });

export type BotData = z.infer<typeof bot>;
export type ExitData = z.infer<typeof exit>;
export type CreatedBotData = z.infer<typeof createdBot>;
export type CreateBotInput = z.input<typeof createBotBody>;
export type RuntimesData = z.infer<typeof runtimes>;
