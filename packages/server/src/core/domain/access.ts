// Who a caller is and what it may reach. Pure.
import type { Bot } from './bot.ts';
import { fail } from './errors.ts';

export const scopes = [
  'bot.read',
  'bot.control',
  'bot.create',
  'bot.update',
  'bot.delete',
  'logs.read',
  'env.read',
  'env.write',
  'files.read',
  'files.write',
  'backups.read',
  'backups.write',
  'backups.restore',
  'exec',
  'apps.write',
  'schedules.write',
  'usage.read',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

/** The account behind a request. */
export interface Caller {
  userId: string;
  sessionId: string;
  role: 'user' | 'admin';
  /** Who really asks, where it is not that account: events name it. */
  actorId?: string;
  /** Where the call comes from; absent = not known. */
  via?: Via;
}

/** By the cookie of a browser, by a token, or because a schedule of its owner says so. */
export type Via = 'dashboard' | 'api' | 'schedule';

/** The owner of a bot, for what Botel does at its order (by its schedules), or at that of an admin. */
export function ownerOf(bot: Bot, admin?: Caller): Caller {
  const by = admin ? { actorId: admin.userId, ...(admin.via && { via: admin.via }) } : { via: 'schedule' as const };
  return { userId: bot.ownerId, sessionId: '', role: 'user', ...by };
}

/** A session holds every scope; `admin` only for admins. */
export function scopesOf(caller: Caller): Scope[] {
  return scopes.filter((scope) => scope !== 'admin' || caller.role === 'admin');
}

/** Fails with 403 unless the caller holds the scope; for calls that need more than that of their route. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!scopesOf(caller).includes(scope)) throw fail.missingPermission(scope);
}

/** The bot, when it exists and the caller owns it; foreign and unknown bots fail alike. An admin's rank gives no access. */
export function ownBot(caller: Caller, bot: Bot | null): Bot {
  if (!bot || bot.ownerId !== caller.userId) throw fail.botNotFound();
  return bot;
}
