// Finds the caller behind a request's Authorization header, or its cookie, before its body is read. Must not know how tokens are kept.
import type { Scope } from '@botel/contract/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, scopesOf } from '../domain/access.ts';
import { fail } from '../domain/errors.ts';
import type { RouteContext } from './route-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
}

/** The token of `Authorization: Bearer <token>`, or null. */
function bearerToken(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  if (!header || header.length > 512) return null;
  return /^Bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

/**
 * A hook that sets `request.caller` and holds the connection of a body that is `isStreamed`, or fails with 429 (too many
 * requests), 401 (no valid token) or 403 (scope not held, a cookie from a page of another origin).
 */
export function authenticate(
  { services, rates, connections, cookies }: RouteContext,
  scope: Scope,
  isStreamed: boolean,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // A header that is there wins, right or wrong.
    const isCookie = request.headers.authorization === undefined;
    const token = isCookie ? cookies.tokenOf(request) : bearerToken(request);
    const caller = token === null ? null : await services.accounts.callerOf(token);
    // Who has no token is counted by address; who has one is not slowed by others who share the address.
    if (!caller) throw rates.takeAddress(request, reply) ?? fail.unauthorized();
    const tooMany = rates.takeUser(reply, caller.userId);
    if (tooMany) throw tooMany;
    if (isCookie) cookies.requireOwnPage(request);
    if (!scopesOf(caller).includes(scope)) throw fail.missingPermission(scope);
    request.caller = { ...caller, via: isCookie ? 'dashboard' : 'api' };
    if (isStreamed) connections.hold(request, reply);
  };
}
