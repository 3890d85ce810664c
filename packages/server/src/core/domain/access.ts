// Who a caller is and what it may reach. Pure.
import { type Role, type Scope, scopes, type Via } from '@botel/contract/vocabulary';
import type { Bot } from './bot.ts';
import { fail } from './errors.ts';

/** The account behind a request. */
export interface Caller {
  userId: string;
  sessionId: string;
  role: Role;
  /** Who really asks, where it is not that account: events name it. */
  actorId?: string;
  /** Where the call comes from; absent = not known. */
  via?: Via;
}

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
