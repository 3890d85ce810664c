// What admins see and change: accounts, plans, all bots, the machine.
import { z } from 'zod';
import { email, password, plan as planName } from './accounts.ts';
import { bool, cursor, oneOf, plainText, queryNumber, text, uuid, wholeNumber } from './input.ts';
import { doctorChecks, findingStates, machineParts, roles, statuses } from './vocabulary.ts';

const role = oneOf(roles);
const planId = text(1, 64);
const countMax = 1_000_000_000;

export const listQuery = z.object({ limit: queryNumber(1, 100, 50), cursor: cursor() });

export const createUserBody = z.object({
  email,
  password,
  role: role.optional(),
  plan_id: planId.optional(),
});
export const updateUserBody = z.object({ user_id: uuid(), role: role.optional(), plan_id: planId.optional() });
export const suspendUserBody = z.object({ user_id: uuid(), suspended: bool() });

export const userIdBody = z.object({ user_id: uuid() });
/** `reason`: for the owner to read; left out with `suspended` false. */
export const suspendBotBody = z.object({ bot_id: uuid(), suspended: bool(), reason: plainText(0, 200).optional() });

/** Without `plan_id` a new plan is made. `network_mbit` left out = no limit. */
export const savePlanBody = z.object({
  plan_id: planId.optional(),
  name: plainText(1, 64),
  memory_mb: wholeNumber(128, countMax),
  bots: wholeNumber(1, countMax),
  disk_mb: wholeNumber(16, countMax),
  apps: wholeNumber(0, countMax),
  upload_limit_mb: wholeNumber(1, countMax),
  internet: bool().optional(),
  network_mbit: wholeNumber(1, countMax).optional(),
});
export const planIdBody = z.object({ plan_id: planId });

/** `bots` and `memory_mb`: what the account has of its plan. */
export const userOfAdmin = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: z.enum(roles),
  plan: planName,
  suspended: z.boolean(),
  /** It is being deleted, and goes with the last of its bots. */
  deleting: z.boolean(),
  bots: z.number(),
  memory_mb: z.number(),
  created_at: z.string(),
});
export const userList = z.strictObject({
  users: z.array(userOfAdmin),
  count: z.number(),
  next_cursor: z.string().nullable(),
});

/** `fixed`: it follows the server's settings. `users`: how many have it. */
export const planOfAdmin = z.strictObject({
  id: z.string(),
  name: z.string(),
  memory_mb: z.number(),
  bots: z.number(),
  disk_mb: z.number(),
  apps: z.number(),
  upload_limit_mb: z.number(),
  internet: z.boolean(),
  network_mbit: z.number().nullable(),
  fixed: z.boolean(),
  users: z.number(),
});
/** All of them: an installation has few. */
export const planList = z.strictObject({ plans: z.array(planOfAdmin), count: z.number(), next_cursor: z.null() });

export const botOfAdmin = z.strictObject({
  id: z.string(),
  name: z.string(),
  owner: z.strictObject({ id: z.string(), email: z.string() }),
  language: z.string(),
  memory: z.number(),
  status: z.enum(statuses),
  status_reason: z.string().nullable(),
  suspended: z.boolean(),
  suspended_reason: z.string().nullable(),
  created_at: z.string(),
});
export const botOfAdminList = z.strictObject({
  bots: z.array(botOfAdmin),
  count: z.number(),
  next_cursor: z.string().nullable(),
});

/** `fault` null = fine. `promised_mb` is what all bots hold. `disk.total_mb` leaves out what is
 * reserved for root, as df does for its percentage. */
export const machineHealth = z.strictObject({
  checks: z.array(z.strictObject({ part: z.enum(machineParts), fault: z.string().nullable() })),
  memory: z.strictObject({ total_mb: z.number(), free_mb: z.number(), promised_mb: z.number() }),
  disk: z.strictObject({ total_mb: z.number(), free_mb: z.number() }),
  processors: z.number(),
  load: z.number(),
  bots: z.strictObject({ total: z.number(), online: z.number() }),
  version: z.string(),
  uptime_seconds: z.number(),
  /** How long a bot has waited for the reconciler, not counting waits behind its owner's others. */
  oldest_wait_seconds: z.number(),
  tasks: z.array(
    z.strictObject({
      name: z.string(),
      period_seconds: z.number(),
      last_run: z.strictObject({ started_at: z.string(), duration_ms: z.number() }).nullable(),
      last_error: z.strictObject({ at: z.string(), message: z.string() }).nullable(),
    }),
  ),
});

/** `code` is told here and nowhere else. */
export const passwordCode = z.strictObject({ user: userOfAdmin, code: z.string(), expires_at: z.string() });

const owned = { bot_id: z.string(), name: z.string(), owner: z.strictObject({ id: z.string(), email: z.string() }) };

/** `used_mb` is what bots that are online use, `promised_mb` what all may; failures are of 24
 * hours. The ten that lead each list. */
export const overview = z.strictObject({
  memory: z.strictObject({ promised_mb: z.number(), used_mb: z.number() }),
  bots: z.strictObject({ total: z.number(), online: z.number(), suspended: z.number() }),
  users: z.strictObject({ total: z.number(), suspended: z.number() }),
  consumers: z.array(
    z.strictObject({
      ...owned,
      memory_mb: z.number(),
      memory_limit_mb: z.number(),
      cpu_percent: z.number().nullable(),
    }),
  ),
  failures: z.strictObject({
    count: z.number(),
    bots: z.array(z.strictObject({ ...owned, count: z.number(), last_reason: z.string(), last_at: z.string() })),
  }),
});

/** `ok`: fine. `warn`: works, but worth knowing. `fix`: does not work until somebody acts; `advice`
 * says how. In English. */
export const finding = z.strictObject({
  check: z.enum(doctorChecks),
  state: z.enum(findingStates),
  text: z.string(),
  advice: z.string().nullable(),
});
export const checkup = z.strictObject({ findings: z.array(finding), checked_at: z.string() });

/** Settings as they count now; never those that are secret. */
export const settingList = z.strictObject({
  settings: z.array(z.strictObject({ name: z.string(), value: z.string(), meaning: z.string() })),
  count: z.number(),
  next_cursor: z.null(),
});

export type UserOfAdminData = z.infer<typeof userOfAdmin>;
export type UserListData = z.infer<typeof userList>;
export type PlanOfAdminData = z.infer<typeof planOfAdmin>;
export type PlanListData = z.infer<typeof planList>;
export type BotOfAdminListData = z.infer<typeof botOfAdminList>;
export type BotOfAdminData = z.infer<typeof botOfAdmin>;
export type PasswordCodeData = z.infer<typeof passwordCode>;
export type OverviewData = z.infer<typeof overview>;
export type MachineHealthData = z.infer<typeof machineHealth>;
export type FindingData = z.infer<typeof finding>;
export type CheckupData = z.infer<typeof checkup>;
export type SettingListData = z.infer<typeof settingList>;
