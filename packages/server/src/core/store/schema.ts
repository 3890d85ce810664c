// Kysely types of every table. One writer each: services write `bots`; the reconciler
// `observations` and `runs`; log capture `log_*`; the collector `usage_minutes`; the gateway
// `access_*` and `app_minutes`. Times are ms since the epoch; booleans are 0 and 1.
import type { EventType } from '@botel/contract/vocabulary';
import type { Generated } from 'kysely';
import type { Backup, PendingRestore } from '../domain/backup.ts';
import type { Observed } from '../domain/bot.ts';
import type { InputState } from '../domain/input.ts';
import type { Plan, Reservation } from '../domain/quota.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { UsageBucket } from '../domain/usage.ts';
import type { IdempotencyKeyTable, PasswordCodeTable, SessionTable, UserTable } from './account-tables.ts';
import type { AppMinuteTable, AppTable, DomainTable, CertificateTable } from './app-tables.ts';
import type { Columns, WithDefaults } from './columns.ts';

export type PlanTable = WithDefaults<Columns<Plan>, 'internet'>;

export interface BotTable {
  id: string;
  owner_id: string;
  uid: number;
  name: string;
  language: string;
  memory_mb: number;
  startup_command: string;
  build_command: string | null;
  build_epoch: Generated<number>;
  /** JSON object of strings, encrypted for `environment <id>`. */
  environment: string;
  /** JSON list of its keys. */
  environment_names: string;
  runtime_version: string;
  /** JSON list of names, sorted. */
  packages: Generated<string>;
  restart_mode: string;
  max_retries: number | null;
  backoff_max_seconds: number;
  stop_signal: string;
  stop_grace_seconds: number;
  stdin: Generated<number>;
  network: Generated<string>;
  /** Null = the limit of the owner's plan. */
  disk_mb: Generated<number | null>;
  /** Why an admin suspended it; null = not suspended. */
  suspension: Generated<string | null>;
  desired: string;
  generation: number;
  wish_kill: number;
  wish_grace_seconds: number | null;
  changed_at: number | null;
  created_at: number;
  updated_at: number;
}

export type ObservationTable = { bot_id: string } & WithDefaults<
  Columns<Observed>,
  'run_kind' | 'run_stdin' | 'built_epoch'
>;

/** One row: a number that triggers increment when routes may have changed. */
interface RouteVersionTable {
  id: number;
  version: number;
}

interface RunTable {
  bot_id: string;
  run: number;
  generation: number;
  /** 1 when no user requested it. */
  automatic: number;
  began_at: number;
  started_at: number | null;
  /** JSON of core/domain/bot.ts Exit; null while the run lasts. */
  exit: string | null;
  /** `bot` or `build`. */
  kind: Generated<string>;
  /** `at` and `reason` of `exit`. */
  ended_at: number | null;
  end_reason: string | null;
}

/** A bucket of 60 or 600 s from `at` on. */
type UsageTable = Columns<UsageBucket> & { at: number; span_ms: number };

export interface EventTable {
  id: Generated<number>;
  at: number;
  /** Not a foreign key: events outlive their bot. */
  bot_id: string;
  owner_id: string;
  type: EventType;
  /** JSON of core/domain/event.ts Actor. */
  actor: string;
  message: string;
  /** JSON object, as served. */
  detail: string;
}

export type BackupTable = WithDefaults<Columns<Backup>, 'size_bytes' | 'sha256' | 'locked'> & {
  /** Whether its file is being written, stored, or about to be deleted. */
  state: 'writing' | 'stored' | 'deleting';
};

/** A text for the stdin of a bot's run. */
interface InputTable {
  /** Increasing: texts are delivered in this order. */
  id: Generated<number>;
  bot_id: string;
  run: number;
  /** Encrypted for `input <bot> <run>`; '' once it is no longer `pending`. */
  text: string;
  state: InputState;
  created_at: number;
}

/** Room in the owner's plan for a bot that is being created; its row replaces the reservation. */
type ReservationTable = Columns<Reservation> & { created_at: number };

export type RestoreTable = Columns<PendingRestore> & { created_at: number };

export type ScheduleTable = Columns<Schedule>;

export interface ScheduleRunTable {
  id: Generated<number>;
  schedule_id: string;
  /** The time that the run is for. */
  due_at: number;
  at: number;
  /** Null while in progress. */
  ok: number | null;
  error: string | null;
}

interface LogChunkTable {
  bot_id: string;
  first_seq: number;
  last_seq: number;
  first_at: number;
  last_at: number;
  /** Bytes of `body`. */
  bytes: number;
  /** One JSON document per line (separated by \n), ascending by seq. */
  body: string;
}

interface LogHeadTable {
  bot_id: string;
  last_seq: number;
  /** Sum of `bytes` over the bot's chunks. */
  bytes: number;
  /** `first_seq` and `bytes` of the newest chunk, which takes small appends; null = none. */
  open_seq: number | null;
  open_bytes: number;
}

interface LogCursorTable {
  bot_id: string;
  run: number;
  container_id: string;
  /** JSON; agent/capture/json-file-tail.ts defines its shape. */
  cursor: string;
}

interface SettingTable {
  key: string;
  value: string;
}

export interface Schema {
  route_version: RouteVersionTable;
  plans: PlanTable;
  users: UserTable;
  sessions: SessionTable;
  password_codes: PasswordCodeTable;
  idempotency_keys: IdempotencyKeyTable;
  bots: BotTable;
  observations: ObservationTable;
  runs: RunTable;
  usage_minutes: UsageTable;
  events: EventTable;
  apps: AppTable;
  domains: DomainTable;
  certificates: CertificateTable;
  app_minutes: AppMinuteTable;
  backups: BackupTable;
  inputs: InputTable;
  reservations: ReservationTable;
  restores: RestoreTable;
  schedules: ScheduleTable;
  schedule_runs: ScheduleRunTable;
  /** `access_chunks` and `access_heads` have the same shape, see line-chunks.ts. */
  log_chunks: LogChunkTable;
  log_heads: LogHeadTable;
  log_cursors: LogCursorTable;
  settings: SettingTable;
}
