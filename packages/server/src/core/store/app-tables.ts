// Kysely types of the app tables, part of schema.ts. Times are ms since the epoch.
import type { DomainStatus } from '@botel/contract/vocabulary';
import type { Generated } from 'kysely';
import type { timeBounds } from '../domain/response-times.ts';

/** An app, or with `freed_at` a released name. */
export interface AppTable {
  id: string;
  owner_id: string;
  /** Null exactly when the name is released. */
  bot_id: string | null;
  name: string;
  /** Null = the bot's `PORT`. */
  port: number | null;
  /** Health check path at a start of the bot; null = no check. */
  health_path: Generated<string | null>;
  created_at: number;
  /** When the name was released: for 30 days only `owner_id` may take it again. */
  freed_at: number | null;
}

/** Answers within this many ms and above the previous bound; `more`: slower than all bounds. */
export type TimeColumn = `within_${(typeof timeBounds)[number] | 'more'}`;

/** Requests to an app that ended within the minute from `at` on. */
export interface AppMinuteTable extends Record<TimeColumn, number> {
  app_id: string;
  at: number;
  requests: number;
  status_2xx: number;
  status_3xx: number;
  status_4xx: number;
  status_5xx: number;
  /** Rejected for exceeding the app's limits; included in `status_4xx`. */
  refused: number;
  /** Requests covered by the sum of times and the buckets. */
  timed: number;
  ms_sum: number;
  ms_max: number;
  bytes_in: number;
  bytes_out: number;
  last_at: number;
}

/** An owner's own hostname for an app. */
export interface DomainTable {
  id: string;
  app_id: string;
  /** ASCII, in lower case. At most one row per hostname is `verified`. */
  hostname: string;
  /** Token for the owner's DNS record. */
  token: string;
  status: Generated<DomainStatus>;
  /** Why the last check failed, as shown to the owner. */
  fault: Generated<string | null>;
  checked_at: Generated<number | null>;
  /** Last successful check. */
  verified_at: Generated<number | null>;
  /** When a certificate was first requested. */
  tls_asked_at: Generated<number | null>;
  created_at: number;
}
