// Kysely types of the account tables; part of schema.ts.
import type { Role } from '@botel/contract/vocabulary';
import type { Generated } from 'kysely';

export interface UserTable {
  id: string;
  email: string;
  password_hash: string;
  role: Role;
  plan_id: string;
  suspended: number;
  /** 1 = being deleted; the row goes with the last of its bots. */
  leaving: Generated<number>;
  /** Incremented by every reservation: concurrent creates serialize on this row. */
  reservations: Generated<number>;
  created_at: number;
}

export interface SessionTable {
  id: string;
  user_id: string;
  token_hash: string;
  ip: string;
  user_agent: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

/** A single-use code for setting a new password. */
export interface PasswordCodeTable {
  user_id: string;
  code_hash: string;
  expires_at: number;
}

/** `status`, `headers` (JSON) and `body` are null until the request is answered. */
export interface IdempotencyKeyTable {
  user_id: string;
  key_hash: string;
  fingerprint: string;
  status: number | null;
  headers: string | null;
  body: string | null;
  created_at: number;
}
