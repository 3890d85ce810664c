// Shape of the tables of apps, a part of schema.ts; written for services, but for `app_minutes`, which is the gateway's. Times are ms since the epoch (INTEGER).
import type { DomainStatus } from '@botel/contract/vocabulary';
import type { Generated } from 'kysely';
import type { timeBounds } from '../domain/response-times.ts';

/** An app, or with `freed_at` a name that was one's. */
export interface AppTable {
  id: string;
  owner_id: string;
  /** Of an app always given, of a freed name never. */
  bot_id: string | null;
  name: string;
  /** Null = the bot's `PORT`. */
  port: number | null;
  /** Asked at a start of the bot; null = nothing is asked. */
  health_path: Generated<string | null>;
  created_at: number;
  /** Set when the name was given up: it counts as taken for 30 days more, but for `owner_id`. */
  freed_at: number | null;
}

/** How many answers took up to so many ms, and longer than the bound before; `more`: longer than all. */
export type TimeColumn = `within_${(typeof timeBounds)[number] | 'more'}`;

/** The requests to an app that were over in the minute from `at` on. */
export interface AppMinuteTable extends Record<TimeColumn, number> {
  app_id: string;
  at: number;
  requests: number;
  status_2xx: number;
  status_3xx: number;
  status_4xx: number;
  status_5xx: number;
  /** Over the limits of the app; a part of `status_4xx`. */
  refused: number;
  /** Requests whose times are in the sum and the counts. */
  timed: number;
  ms_sum: number;
  ms_max: number;
  bytes_in: number;
  bytes_out: number;
  last_at: number;
}

/** A hostname of an owner's own that is to serve an app. */
export interface DomainTable {
  id: string;
  app_id: string;
  /** ASCII, in lower case. At most one row of it is `verified`. */
  hostname: string;
  /** What the owner puts into its DNS. */
  token: string;
  status: Generated<DomainStatus>;
  /** Why the last check failed, as shown to the owner. */
  fault: Generated<string | null>;
  checked_at: Generated<number | null>;
  /** When a check went well last. */
  verified_at: Generated<number | null>;
  /** When a certificate was first asked for. */
  tls_asked_at: Generated<number | null>;
  created_at: number;
}
