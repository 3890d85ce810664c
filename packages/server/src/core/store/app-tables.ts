// Kysely types of the app tables, part of schema.ts. Times are ms since the epoch.
import type { App } from '../domain/app.ts';
import type { Domain } from '../domain/hostname.ts';
import type { timeBounds } from '../domain/response-times.ts';
import type { Columns, WithDefaults } from './columns.ts';

/** An app, or with `freed_at` a released name: for 30 days only `owner_id` may take it again. */
export type AppTable = Omit<Columns<App>, 'bot_id'> & {
  /** Null exactly when the name is released. */
  bot_id: string | null;
  freed_at: number | null;
};

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

/** `owner_id` null: the account is gone; its approvals still count for the machine. */
export interface CertificateTable {
  hostname: string;
  owner_id: string | null;
  is_app_name: number;
  approved_at: number;
}

export type DomainTable = WithDefaults<Columns<Domain>, 'status'>;
