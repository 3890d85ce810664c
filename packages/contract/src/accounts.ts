// Accounts: sign-up, login, the caller, and what the plan allows.
import { z } from 'zod';
import { bool, text, uuid } from './input.ts';
import { roles } from './vocabulary.ts';

export const email = text(3, 254).refine((value) => /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(value), 'is not valid');
export const password = text(12, 200);

/** True: the session comes as a cookie of the browser, and no token in the answer. */
const cookie = bool().optional();

export const setupBody = z.object({ token: text(1, 200), email, password, cookie });
export const registerBody = z.object({ email, password, cookie });
/** Any lengths are taken here: a wrong password of any length is "Invalid email or password". */
export const loginBody = z.object({ email: text(1, 254), password: text(1, 1000), cookie });
/** `token`: out of a link that signs in once. */
export const oneTimeBody = z.object({ token: text(1, 200), cookie });

/** `code`: made by an admin; good once, for 24 hours. */
export const resetPasswordBody = z.object({ code: text(1, 200), new_password: password });

export const plan = z.strictObject({ id: z.string(), name: z.string() });

export const user = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: z.enum(roles),
  plan,
  two_factor: z.boolean(),
  created_at: z.string(),
});

/** `token` is missing where a cookie was asked for. */
export const login = z.strictObject({ token: z.string().optional(), expires_at: z.string(), user });

export const me = z.strictObject({ user, scopes: z.array(z.string()) });

export const changePasswordBody = z.object({ current_password: text(1, 1000), new_password: password });

/** One session, or all but the caller's own. */
export const revokeBody = z
  .object({ session_id: uuid().optional(), all: bool().optional() })
  .refine((body) => body.all || body.session_id !== undefined, { path: ['session_id'], error: 'is required' });

/** `current`: the one that asks. `ip` is empty where the token was made at the machine itself. */
export const session = z.strictObject({
  id: z.string(),
  current: z.boolean(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.string(),
  last_used_at: z.string(),
});

/** The newest 100 that have not run out; `count` is of all. */
export const sessionList = z.strictObject({
  sessions: z.array(session),
  count: z.number(),
  next_cursor: z.null(),
});

export const usage = z.strictObject({
  memory: z.strictObject({ limit_mb: z.number(), used_mb: z.number(), available_mb: z.number() }),
  bots: z.strictObject({ limit: z.number(), used: z.number() }),
  disk: z.strictObject({ limit_mb: z.number(), used_mb: z.number() }),
  backups: z.strictObject({ limit_mb: z.number(), used_mb: z.number() }),
  apps: z.strictObject({ limit: z.number(), used: z.number() }),
  upload_limit_mb: z.number(),
});

export const nothing = z.strictObject({});

export type UserData = z.infer<typeof user>;
export type LoginData = Required<z.infer<typeof login>>;
/** Of a browser, which has the session as a cookie. */
export type CookieLoginData = Omit<LoginData, 'token'>;
export type SessionData = z.infer<typeof session>;
export type SessionListData = z.infer<typeof sessionList>;
export type UsageData = z.infer<typeof usage>;
