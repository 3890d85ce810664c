// Every error that callers see: codes, and factories with their exact texts (docs/errors.md).

import type { ErrorCode } from '@botel/contract/vocabulary';
import { type DiskUse, filesLimit, isOfFiles, mebibyte } from './quota.ts';
import { reservedReason, takenReason } from './subdomain.ts';

/** An error reported to the caller. `message` is safe to show; `cause` is logged and never sent. */
export class BotelError extends Error {
  readonly code: ErrorCode;
  /** The offending input field, for `X-Error-Field`. */
  readonly field: string | null;
  /** Seconds until a retry makes sense, when known. */
  readonly retrySeconds: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string; cause?: unknown; retrySeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BotelError';
    this.code = code;
    this.field = options.field ?? null;
    this.retrySeconds = options.retrySeconds ?? null;
  }
}

/** Awaits `work`; null when it fails with this code. */
export async function nullOn<T>(code: ErrorCode, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BotelError && error.code === code) return null;
    throw error;
  }
}

const conflictTexts = {
  bot_already_online: 'Bot is already online',
  bot_already_starting: 'Bot is already starting',
  bot_already_offline: 'Bot is already offline',
  bot_stopping: 'Bot is stopping',
  bot_not_offline: 'Bot must be offline',
  bot_not_online: 'Bot must be online',
  stdin_closed: 'Bot runs without stdin: turn it on, then restart the bot',
  stdin_full: 'Bot does not read its stdin',
} as const;

/** Factories of every error; their texts are part of the contract. */
export const fail = {
  invalidJson: () => new BotelError('invalid_json', 'Invalid JSON body'),
  invalidContentType: () => new BotelError('invalid_content_type', 'Content-Type must be application/json'),
  invalidUrl: () => new BotelError('invalid_url', 'Invalid URL'),
  invalidRequest: () => new BotelError('invalid_request', 'Invalid HTTP request'),
  /** `fault` is the predicate: "is required", "must be a string" … */
  invalidInput: (field: string, fault: string) => new BotelError('invalid_input', `${field} ${fault}`, { field }),
  unauthorized: () => new BotelError('unauthorized', 'Unauthorized'),
  invalidCredentials: () => new BotelError('invalid_credentials', 'Invalid email or password'),
  invalidSignature: () => new BotelError('invalid_signature', 'Invalid signature'),
  insufficientMemory: (neededMb: number, availableMb: number) =>
    new BotelError('insufficient_memory', `Insufficient memory: need ${neededMb}MB, only ${availableMb}MB available`),
  planLimit: (used: number, limit: number, things: string) =>
    new BotelError('plan_limit', `Plan limit reached: ${used} of ${limit} ${things}`),
  backupLimit: (used: number, limit: number) =>
    new BotelError('backup_limit', `Backup limit reached: ${used} of ${limit}`),
  diskLimit: (usedMb: number, limitMb: number) =>
    new BotelError('disk_limit', `Disk limit reached: ${usedMb}MB of ${limitMb}MB`),
  filesLimit: (used: number, limit: number) =>
    new BotelError('disk_limit', `Disk limit reached: ${used} of ${limit} files`),
  missingPermission: (scope: string) => new BotelError('missing_permission', `Missing permission: ${scope}`),
  accountSuspended: () => new BotelError('account_suspended', 'Account is suspended'),
  botSuspended: () => new BotelError('bot_suspended', 'Bot is suspended'),
  originNotAllowed: () => new BotelError('origin_not_allowed', 'Origin not allowed'),
  registrationClosed: () => new BotelError('registration_closed', 'Registration is closed'),
  inviteInvalid: () => new BotelError('invite_invalid', 'Invite is invalid or expired'),
  notFound: () => new BotelError('not_found', 'Not found'),
  botNotFound: () => new BotelError('bot_not_found', 'Bot not found'),
  fileNotFound: () => new BotelError('file_not_found', 'File not found'),
  backupNotFound: () => new BotelError('backup_not_found', 'Backup not found'),
  templateNotFound: () => new BotelError('template_not_found', 'Template not found'),
  scheduleNotFound: () => new BotelError('schedule_not_found', 'Schedule not found'),
  appNotFound: () => new BotelError('app_not_found', 'App not found'),
  domainNotFound: () => new BotelError('domain_not_found', 'Domain not found'),
  sessionNotFound: () => new BotelError('session_not_found', 'Session not found'),
  userNotFound: () => new BotelError('user_not_found', 'User not found'),
  planNotFound: () => new BotelError('plan_not_found', 'Plan not found'),
  /** Uses the texts of the public name check. */
  appNameInvalid: (reason: string) => new BotelError('invalid_input', reason, { field: 'name' }),
  nameReserved: (name: string) => new BotelError('name_reserved', reservedReason(name)),
  nameTaken: (name: string) => new BotelError('name_taken', takenReason(name)),
  botHasApp: () => new BotelError('already_exists', 'Bot already has an app'),
  hostnameInUse: (hostname: string) => new BotelError('already_exists', `"${hostname}" is already in use`),
  conflict: (code: keyof typeof conflictTexts) => new BotelError(code, conflictTexts[code]),
  botBusy: (phase: string) => new BotelError('bot_busy', `Bot is busy: ${phase}`),
  emailTaken: () => new BotelError('already_exists', 'Email is already registered'),
  pathTaken: (path: string) => new BotelError('already_exists', `"${path}" already exists`),
  backupNameTaken: (name: string) => new BotelError('already_exists', `A backup named "${name}" already exists`),
  backupDamaged: () => new BotelError('backup_damaged', 'Backup is damaged'),
  backupLocked: () => new BotelError('backup_locked', 'Backup is locked'),
  idempotencyRunning: () =>
    new BotelError('idempotency_running', 'A request with this Idempotency-Key is still running'),
  idempotencyReused: () => new BotelError('idempotency_reused', 'Idempotency-Key was already used for another request'),
  ownAccount: () => new BotelError('own_account', 'Another admin has to do this to your account'),
  planFixed: () => new BotelError('plan_fixed', "The default plan follows the server's settings"),
  planInUse: (users: number) => new BotelError('plan_in_use', `Plan is in use: ${users} users`),
  fileChanged: () => new BotelError('file_changed', 'File changed since it was read'),
  bodyTooLarge: (limitMb: number) => new BotelError('too_large', `Body exceeds the ${limitMb} MB limit`),
  fileTooLarge: (limitMb: number) => new BotelError('too_large', `File exceeds the ${limitMb} MB limit`),
  rangeNotSatisfiable: () => new BotelError('range_not_satisfiable', 'Range begins after the end of the file'),
  rateLimited: (retrySeconds: number) => new BotelError('rate_limited', 'Rate limit exceeded', { retrySeconds }),
  tooManyStreams: (open: number, limit: number) =>
    new BotelError('too_many_streams', `Too many open streams: ${open} of ${limit}`),
  internal: (cause: unknown) => new BotelError('internal', 'Internal server error', { cause }),
  engineUnavailable: (cause?: unknown) =>
    new BotelError('engine_unavailable', 'The container engine is not available', { cause }),
  storageFull: (cause?: unknown) => new BotelError('storage_full', 'The server has no disk space left', { cause }),
  notReady: (part: string, cause?: unknown) => new BotelError('not_ready', `Not ready: ${part}`, { cause }),
};

/** 403 without disk room: names files when their count is the exhausted limit, else bytes. */
export function limitError(use: DiskUse, diskMb: number): BotelError {
  const maxFiles = filesLimit(diskMb);
  if (use.files >= maxFiles && isOfFiles(use, diskMb)) return fail.filesLimit(use.files, maxFiles);
  return fail.diskLimit(Math.ceil(use.bytes / mebibyte), diskMb);
}
