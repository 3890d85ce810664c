// Accounts: sign-up, login, the caller, and what the plan allows (api.md section 10).
import { z } from 'zod';
import { text } from './input.ts';

const email = text(3, 254).refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'is not valid');
const password = text(12, 200);

export const setupBody = z.object({ token: text(1, 200), email, password });
export const registerBody = z.object({ email, password });
/** Any lengths are taken here: a wrong password of any length is "Invalid email or password". */
export const loginBody = z.object({ email: text(1, 254), password: text(1, 1000) });

export const plan = z.strictObject({ id: z.string(), name: z.string() });

export const user = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: z.enum(['user', 'admin']),
  plan,
  two_factor: z.boolean(),
  created_at: z.string(),
});

export const login = z.strictObject({ token: z.string(), expires_at: z.string(), user });

export const me = z.strictObject({ user, scopes: z.array(z.string()) });

export const usage = z.strictObject({
  memory: z.strictObject({ limit_mb: z.number(), used_mb: z.number(), available_mb: z.number() }),
  bots: z.strictObject({ limit: z.number(), used: z.number() }),
  disk: z.strictObject({ limit_mb: z.number(), used_mb: z.number() }),
  apps: z.strictObject({ limit: z.number(), used: z.number() }),
  upload_limit_mb: z.number(),
});

export const nothing = z.strictObject({});

export type UserData = z.infer<typeof user>;
export type LoginData = z.infer<typeof login>;
export type UsageData = z.infer<typeof usage>;
