// Errors as the failure envelope. The only place that maps errors to statuses.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@botel/contract/vocabulary';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { BotelError, fail } from '../domain/errors.ts';
import type { Rates } from './rates.ts';

export const statusOfCode: Record<ErrorCode, number> = {
  invalid_json: 400,
  invalid_content_type: 400,
  invalid_url: 400,
  invalid_request: 400,
  invalid_input: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  invalid_signature: 401,
  insufficient_memory: 403,
  plan_limit: 403,
  backup_limit: 403,
  disk_limit: 403,
  missing_permission: 403,
  origin_not_allowed: 403,
  account_suspended: 403,
  bot_suspended: 403,
  registration_closed: 403,
  invite_invalid: 403,
  not_found: 404,
  bot_not_found: 404,
  file_not_found: 404,
  backup_not_found: 404,
  template_not_found: 404,
  schedule_not_found: 404,
  app_not_found: 404,
  domain_not_found: 404,
  session_not_found: 404,
  user_not_found: 404,
  plan_not_found: 404,
  bot_already_online: 409,
  bot_already_starting: 409,
  bot_already_offline: 409,
  bot_stopping: 409,
  bot_not_offline: 409,
  bot_not_online: 409,
  bot_busy: 409,
  stdin_closed: 409,
  stdin_full: 409,
  name_taken: 409,
  name_reserved: 409,
  already_exists: 409,
  file_changed: 409,
  backup_locked: 409,
  backup_damaged: 409,
  idempotency_running: 409,
  idempotency_reused: 409,
  own_account: 409,
  plan_fixed: 409,
  plan_in_use: 409,
  too_large: 413,
  range_not_satisfiable: 416,
  rate_limited: 429,
  too_many_streams: 429,
  internal: 500,
  engine_unavailable: 503,
  storage_full: 507,
  not_ready: 503,
};

/** In every answer: no browser renders it as a page, whatever a bot or a caller put into it. */
export const securityHeaders = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  // Downloads, streams and pages set their own.
  ['cache-control', 'no-store'],
] as const;

const retryAfterSeconds = 5;
const fieldCharacters = 200;

/** Sends `error` in the envelope. Internal failures are logged once, with the request's id. */
export function replyWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toBotelError(error, request);
  const status = statusOfCode[known.code];
  if (status === 500) request.log.error({ reqId: request.id, err: known.cause ?? known }, 'request failed');
  if (known.field) reply.header('X-Error-Field', headerText(known.field));
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  if (status === 429 || status === 503 || status === 507)
    reply.header('Retry-After', String(known.retrySeconds ?? retryAfterSeconds));
  return reply
    .code(status)
    .header('X-Error-Code', known.code)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ success: false, error: known.message });
}

/** Header values are short Latin-1; a field name may be any text of the client. */
function headerText(field: string): string {
  return encodeURI(field.slice(0, fieldCharacters).toWellFormed()).replace(/%5B(\d+)%5D/g, '[$1]');
}

/** Answers bytes that are no valid HTTP request and never reach the application. */
export function replyToBrokenRequest(error: Error & { code?: string }, socket: Socket, rates: Rates | null): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const known = fail.invalidRequest();
  const body = JSON.stringify({ success: false, error: known.message });
  const head = [
    'HTTP/1.1 400 Bad Request',
    `X-Request-Id: ${randomUUID()}`,
    'X-API-Version: 1',
    ...[...securityHeaders, ...(rates?.takeBroken(socket.remoteAddress ?? '') ?? [])].map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `X-Error-Code: ${known.code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

function toBotelError(error: unknown, request: FastifyRequest): BotelError {
  if (error instanceof BotelError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return inputError(error.validation[0]);
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail.invalidContentType();
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return fail.invalidJson();
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail.bodyTooLarge(Math.floor(request.routeOptions.bodyLimit / 1024 / 1024));
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail.invalidUrl();
  }
  if (isDiskFull(error)) return fail.storageFull(error);
  if (error instanceof SyntaxError && (error as FastifyError).statusCode === 400) return fail.invalidJson();
  return fail.internal(error);
}

function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

interface ZodFault {
  instancePath?: string;
  message?: string;
}

/** First invalid field: path in the form `stop.signal`, `paths[3]`, and its predicate. */
function inputError(fault: ZodFault | undefined): BotelError {
  const parts = (fault?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  const field = parts.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part),
    '',
  );
  return field ? fail.invalidInput(field, fault?.message ?? 'is not valid') : fail.invalidJson();
}
