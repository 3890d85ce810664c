// Admits requests before their body is read: authentication, scopes, rate limits. Only the api
// counts requests and bounds connections; it does so for the agent, too.
import type { Scope } from '@botel/contract/vocabulary';
import type {
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import { type Caller, scopesOf } from '../domain/access.ts';
import { fail } from '../domain/errors.ts';
import type { Authenticator } from '../services/authenticator.ts';
import type { Connections } from './connections.ts';
import type { RouteDeclaration } from './define-route.ts';
import type { Rates } from './rates.ts';
import type { SessionCookies } from './session-cookies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
}

export interface Admission {
  authenticator: Pick<Authenticator, 'callerOf'>;
  cookies: SessionCookies;
  /** Null: requests are not counted. */
  rates: Rates | null;
  /** Null: connections are not bounded. */
  connections: Pick<Connections, 'hold'> | null;
}

/** The hooks of a route; `isStreamed`: the body is not read as a whole first. */
export function admissionHooks({ scope, rate }: RouteDeclaration, isStreamed: boolean, admission: Admission) {
  const { rates } = admission;
  const onRequest: onRequestAsyncHookHandler | onRequestHookHandler = scope
    ? authenticate(admission, scope, isStreamed)
    : (request, reply, done) => done(rates?.takeAddress(request, reply, rate));
  if (rate !== 'lifecycle' || !rates) return { onRequest };
  // Bots have a separate limit, which applies once the id is known.
  const preHandler: preHandlerHookHandler = (request, reply, done) => {
    const { bot_id: botId } = request.body as { bot_id: string };
    done(rates.takeLifecycle(reply, (request.caller as Caller).userId, botId));
  };
  return { onRequest, preHandler };
}

/**
 * Sets `request.caller`, or fails with 429, 401 (no valid token) or 403 (missing scope, or a cookie
 * from a page of another origin). Holds the connection of a streamed body.
 */
function authenticate({ authenticator, cookies, rates, connections }: Admission, scope: Scope, isStreamed: boolean) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // An Authorization header takes precedence over a cookie, valid or not.
    const isCookie = request.headers.authorization === undefined;
    const token = isCookie ? cookies.tokenOf(request) : bearerToken(request);
    const caller = token === null ? null : await authenticator.callerOf(token);
    // Requests without a valid token are counted by address, apart from those of callers.
    if (!caller) throw rates?.takeAddress(request, reply) ?? fail.unauthorized();
    const tooMany = rates?.takeUser(reply, caller.userId);
    if (tooMany) throw tooMany;
    if (isCookie) cookies.requireOwnPage(request);
    if (!scopesOf(caller).includes(scope)) throw fail.missingPermission(scope);
    request.caller = { ...caller, via: isCookie ? 'dashboard' : 'api' };
    if (isStreamed) connections?.hold(request, reply);
  };
}

/** The token of `Authorization: Bearer <token>`, or null. */
function bearerToken(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  if (!header || header.length > 512) return null;
  return /^Bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}
