// Shape of the tables of accounts, as Kysely sees them; a part of schema.ts.
import type { Role } from '@botel/contract/vocabulary';
import type { Generated } from 'kysely';

export interface UserTable {
  id: string;
  email: string;
  password_hash: string;
  role: Role;
  plan_id: string;
  suspended: number;
  /** 1: it is being deleted, and goes with the last of its bots. */
  leaving: Generated<number>;
  /** Grows with every reservation: the row that concurrent creates queue at. */
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

/** A code by which an account gets a new password, once. */
export interface PasswordCodeTable {
  user_id: string;
  code_hash: string;
  expires_at: number;
}

/** A request with an Idempotency-Key; `status`, `headers` (JSON) and `body` are null until it is answered. */
export interface IdempotencyKeyTable {
  user_id: string;
  key_hash: string;
  fingerprint: string;
  status: number | null;
  headers: string | null;
  body: string | null;
  created_at: number;
}
