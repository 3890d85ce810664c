// Converts accounts to the JSON of the contract. Pure.
import type { SessionData, UserData } from '@botel/contract/accounts';
import type { Account } from '../services/accounts.ts';
import type { SessionView } from '../services/sessions.ts';
import { isoTime } from '../../core/http/present.ts';

export function presentUser({ user, plan }: Account): UserData {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    plan: { id: plan.id, name: plan.name },
    two_factor: false,
    created_at: isoTime(user.createdAt),
  };
}

/** `currentId`: the caller's session. */
export function presentSession(session: SessionView, currentId: string): SessionData {
  return {
    id: session.id,
    current: session.id === currentId,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(session.lastUsedAt),
  };
}
