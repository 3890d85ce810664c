// Callers, their scopes, and the bots that they may reach. Pure.
import { type Role, type Scope, scopes, type Via } from '@botel/contract/vocabulary';
import type { Bot } from './bot.ts';
import { fail } from './errors.ts';

/** The account behind a request. */
export interface Caller {
  userId: string;
  sessionId: string;
  role: Role;
  /** The acting user, when not the account itself (an admin); recorded in events. */
  actorId?: string;
  /** Absent = unknown. */
  via?: Via;
}

/** The caller for actions on behalf of the owner: by its schedules, or by an admin. */
export function ownerOf(bot: Bot, admin?: Caller): Caller {
  const by = admin ? { actorId: admin.userId, ...(admin.via && { via: admin.via }) } : { via: 'schedule' as const };
  return { userId: bot.ownerId, sessionId: '', role: 'user', ...by };
}

/** A session holds every scope, but `admin` only when its user is an admin. */
export function scopesOf(caller: Caller): Scope[] {
  return scopes.filter((scope) => scope !== 'admin' || caller.role === 'admin');
}

/** Fails with 403 unless the caller holds the scope; for calls that need more than their route. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!scopesOf(caller).includes(scope)) throw fail.missingPermission(scope);
}

/** Unknown ids and other owners' bots fail alike; being an admin gives no access. */
export function ownBot(caller: Caller, bot: Bot | null): Bot {
  if (!bot || bot.ownerId !== caller.userId) throw fail.botNotFound();
  return bot;
}
