// Every enumerated word of the API, once. Plain data without schemas: the server's domain and the
// dashboard use it without loading Zod. The order of a list is served, in messages and schemas.

// Bots

export const languages = ['nodejs', 'python', 'java', 'go', 'rust'] as const;
export type Language = (typeof languages)[number];

export const statuses = ['offline', 'starting', 'online', 'stopping'] as const;
export type BotStatus = (typeof statuses)[number];

export type Phase =
  | 'queued'
  | 'stopping'
  | 'pulling'
  | 'installing'
  | 'creating'
  | 'starting'
  | 'checking'
  | 'running'
  | 'waiting'
  | 'restoring';

export type ExitReason =
  | 'stopped'
  | 'killed'
  | 'exited'
  | 'crashed'
  | 'oom'
  | 'start_failed'
  | 'build_failed'
  | 'vanished'
  | 'interrupted'
  | 'disk_full';

export type StatusReason =
  | Exclude<ExitReason, 'stopped' | 'killed' | 'interrupted'>
  | 'crash_loop'
  | 'suspended'
  | 'engine_unavailable';

/** A run prepares the bot's files, or is the bot. */
export const runKinds = ['bot', 'build'] as const;
export type RunKind = (typeof runKinds)[number];

/** `none`: nothing but the bot itself. */
export const botNetworks = ['internet', 'none'] as const;
export type BotNetwork = (typeof botNetworks)[number];

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;
export type StopSignal = (typeof stopSignals)[number];

export const restartModes = ['always', 'on-failure', 'never'] as const;
export type RestartMode = (typeof restartModes)[number];

export const botSorts = ['created', 'name', 'memory'] as const;

/** Forms of well-known secrets that templates ask for. */
export const secretKinds = ['discord_token', 'telegram_token'] as const;
export type SecretKind = (typeof secretKinds)[number];

// Logs and metrics

export const logStreams = ['stdout', 'stderr', 'build', 'system'] as const;
export type LogStream = (typeof logStreams)[number];

/** Why lines were never stored. */
export const logDropReasons = ['flood', 'source_lost'] as const;
export type LogDropReason = (typeof logDropReasons)[number];

/** Why stored lines were not sent. */
export const logGapReasons = ['slow_client', 'retention'] as const;
export type LogGapReason = (typeof logGapReasons)[number];

export const logFileFormats = ['txt', 'ndjson'] as const;

/** Why the server ends a stream. */
export const streamEndReasons = ['unauthorized', 'server_stopping'] as const;
export type StreamEndReason = (typeof streamEndReasons)[number];
export const logEndReasons = ['deleted', ...streamEndReasons] as const;
export type LogEndReason = (typeof logEndReasons)[number];

export const metricsRanges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const;
export type MetricsRange = (typeof metricsRanges)[number];

// Events

export const eventTypes = [
  'bot.created',
  'bot.starting',
  'bot.online',
  'bot.stopping',
  'bot.offline',
  'bot.crashed',
  'bot.oom',
  'bot.crash_loop',
  'bot.recovered',
  'bot.updated',
  'bot.suspended',
  'bot.unsuspended',
  'bot.deleted',
  'env.read',
  'disk.warning',
  'disk.full',
  'log.flood',
  'install.failed',
  'backup.completed',
  'backup.restored',
  'backup.failed',
  'schedule.failed',
  'app.created',
  'app.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

/** `system`: Botel itself. */
export const actorKinds = ['user', 'system'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** How a user acted: with a browser's cookie, with a token, or by a schedule. */
export const vias = ['dashboard', 'api', 'schedule'] as const;
export type Via = (typeof vias)[number];

// Files, backups, schedules, domains

export const fileTypes = ['file', 'directory', 'link', 'other'] as const;

export const archiveFormats = ['zip', 'tar', 'tar.gz'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

/** `safety`: made by a restore, of what it replaces. */
export const backupTriggers = ['manual', 'schedule', 'safety'] as const;
export type BackupTrigger = (typeof backupTriggers)[number];

export const scheduleActions = ['backup', 'start', 'stop', 'restart', 'kill', 'reinstall'] as const;
export type ScheduleAction = (typeof scheduleActions)[number];

export const domainStatuses = ['pending', 'verified', 'failed'] as const;
export type DomainStatus = (typeof domainStatuses)[number];

/** `active`: a certificate was asked for. */
export const tlsStates = ['none', 'pending', 'active'] as const;

export const recordTypes = ['TXT', 'CNAME'] as const;

// Accounts and administration

export const roles = ['user', 'admin'] as const;
export type Role = (typeof roles)[number];

export const scopes = [
  'bot.read',
  'bot.control',
  'bot.create',
  'bot.update',
  'bot.delete',
  'logs.read',
  'env.read',
  'env.write',
  'files.read',
  'files.write',
  'backups.read',
  'backups.write',
  'backups.restore',
  'exec',
  'apps.write',
  'schedules.write',
  'usage.read',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

export const machineParts = ['database', 'agent', 'engine', 'firewall', 'disk', 'queue'] as const;
export type MachinePart = (typeof machineParts)[number];

export const doctorChecks = [
  'program',
  'engine',
  'images',
  'runtimes',
  'network',
  'data',
  'roles',
  'disks',
  'port',
  'gateway',
  'apps',
  'tls',
  'clock',
] as const;
export type DoctorCheck = (typeof doctorChecks)[number];

/** `fix`: does not work until somebody acts. */
export const findingStates = ['ok', 'warn', 'fix'] as const;
export type FindingState = (typeof findingStates)[number];

// Errors

export const errorCodes = [
  'invalid_json',
  'invalid_content_type',
  'invalid_url',
  'invalid_request',
  'invalid_input',
  'unauthorized',
  'invalid_credentials',
  'invalid_signature',
  'insufficient_memory',
  'plan_limit',
  'backup_limit',
  'disk_limit',
  'missing_permission',
  'origin_not_allowed',
  'account_suspended',
  'bot_suspended',
  'registration_closed',
  'invite_invalid',
  'not_found',
  'bot_not_found',
  'file_not_found',
  'backup_not_found',
  'template_not_found',
  'schedule_not_found',
  'app_not_found',
  'domain_not_found',
  'session_not_found',
  'user_not_found',
  'plan_not_found',
  'bot_already_online',
  'bot_already_starting',
  'bot_already_offline',
  'bot_stopping',
  'bot_not_offline',
  'bot_not_online',
  'bot_busy',
  'stdin_closed',
  'stdin_full',
  'name_taken',
  'name_reserved',
  'already_exists',
  'file_changed',
  'backup_locked',
  'backup_damaged',
  'idempotency_running',
  'idempotency_reused',
  'own_account',
  'plan_fixed',
  'plan_in_use',
  'too_large',
  'range_not_satisfiable',
  'rate_limited',
  'too_many_streams',
  'internal',
  'engine_unavailable',
  'storage_full',
  'not_ready',
] as const;
export type ErrorCode = (typeof errorCodes)[number];
