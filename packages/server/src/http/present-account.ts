// Turns accounts into the JSON of the contract. Pure.
import type { UserData } from '@botel/contract/accounts';
import type { Account } from '../services/accounts.ts';
import { isoTime } from './present.ts';

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
