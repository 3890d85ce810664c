// Builds the HTTP application: limits, hooks, parsers and every route of the route table. Must not know what routes do.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import swagger from '@fastify/swagger';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { type BotelError, fail } from '../domain/errors.ts';
import type { Services } from '../../api/services/services.ts';
import { TrustedProxies } from '../lib/trusted-proxies.ts';
import { Connections } from './connections.ts';
import { harmless, replyToBrokenRequest, replyWithError } from './error-reply.ts';
import type { Clock } from '../lib/clock.ts';
import type { ConnectionLimits } from '../lib/connection-bounds.ts';
import { isRelayed, type Route } from './define-route.ts';
import { replayAnswers } from './replay-answers.ts';
import type { RouteContext } from './route-context.ts';
import { describeRoute, openApiDocument } from './openapi-document.ts';
import { type RateLimits, Rates } from './rates.ts';
import type { Forward } from '../../api/http/relay.ts';
import { routes } from '../../api/routes/routes.ts';
import { serveDashboard } from '../../api/http/dashboard.ts';
import { SessionCookies } from './session-cookies.ts';

const jsonBodyBytes = 1024 * 1024;
const urlBytes = 8192;
/** Within this time the head of a request has to be there. */
const headersMs = 15_000;
/** Answers to these may be read by pages of any origin. */
const publicUrls = new Set(
  routes
    .filter(({ declaration }) => declaration.method === 'GET' && !declaration.scope)
    .map((route) => route.declaration.url),
);

export interface AppOptions {
  logger: FastifyBaseLogger;
  /** Checks every response against its schema before it is sent. */
  checkResponses: boolean;
  /** Largest body of an upload, in bytes. */
  uploadBytes: number;
  version: string;
  /** Address under which users reach Botel; '' = not known. */
  publicUrl: string;
  /** Where the build of the dashboard is; null = it is not served. */
  dashboard: string | null;
  rates: RateLimits;
  /** Addresses and ranges of proxies whose X-Forwarded-For counts. */
  trustedProxies: string[];
  connections: ConnectionLimits;
  clock: Clock;
  /** Given: requests that need the files of bots are sent on by it. */
  forward?: Forward | null;
  /** `homes`: only the routes that need the files of bots. */
  routes?: 'all' | 'homes';
}

/** The application, not yet listening. */
export async function buildApp(services: Services, options: AppOptions): Promise<FastifyInstance> {
  const rates = new Rates(options.rates, options.clock);
  const cookies = new SessionCookies(options.publicUrl);
  const proxies = new TrustedProxies(options.trustedProxies);
  const connections = new Connections({
    limits: options.connections,
    proxies,
    stillValid: (caller) => services.accounts.stillValid(caller),
    clock: options.clock,
  });
  const context: RouteContext = { services, rates, connections, cookies, forward: options.forward ?? null };
  const served = options.routes === 'homes' ? routes.filter(({ declaration }) => declaration.needsHomes) : routes;
  const takesRawBody = ({ declaration }: Route) =>
    declaration.bodyKind === 'raw' || isRelayed(declaration, context.forward);
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: jsonBodyBytes,
    forceCloseConnections: true,
    // Of bodies, connections.ts sees to it that they come.
    requestTimeout: 0,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 3 },
    connectionTimeout: 0,
    routerOptions: { maxParamLength: urlBytes },
    genReqId: requestId,
    // A logger per request costs more than it is used: failures are logged with the request's id.
    childLoggerFactory: (logger) => logger,
    clientErrorHandler: (error, socket) => replyToBrokenRequest(error, socket, rates),
    frameworkErrors: (error, request, reply) => {
      request.address = proxies.addressOf(request.raw);
      stamp(request, reply);
      return replyToBadUrl(context, error, request, reply);
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(options.checkResponses ? serializerCompiler : () => JSON.stringify);
  app.setErrorHandler((error, request, reply) => replyWithError(error, request, reply));
  app.setNotFoundHandler((request, reply) => replyWithError(fail.notFound(), request, reply));
  app.decorateRequest('caller', null);
  app.decorateRequest('address', '');
  app.decorateRequest('watchesItself', false);
  connections.watch(app.server);
  app.addHook('onClose', async () => connections.close());
  app.removeContentTypeParser('text/plain');
  // Hooks of every request call back: a promise each is felt.
  app.addHook('onRequest', (request, reply, done) => {
    request.address = proxies.addressOf(request.raw);
    stamp(request, reply);
    // Before the body is parsed: what is not there needs no right body.
    const fault = faultOfUrl(request) ?? (request.is404 ? fail.notFound() : undefined);
    done(fault && (rates.takeAddress(request, reply) ?? fault));
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body !== undefined) dropNulls(request.body);
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    connections.hold(request, reply);
    done();
  });
  // Closing after a body that is wrong would meet the api while it still writes: it would have an error in place of the answer.
  if (options.routes === 'homes') {
    app.addHook('onSend', (_request, reply, payload, done) => {
      reply.removeHeader('connection');
      done(null, payload);
    });
  }
  await app.register(swagger, {
    openapi: openApiDocument(options.version),
    transform: describeRoute as never,
  });

  if (options.dashboard !== null) serveDashboard(app, options.dashboard);
  await app.register(async (json) => {
    json.addHook('onRequest', limitBody(jsonBodyBytes, rates));
    replayAnswers(json, services.idempotentRequests);
    for (const route of served) if (!takesRawBody(route)) route.register(json, context, route.operationId);
  });
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { bodyLimit: options.uploadBytes }, (_request, payload, done) => done(null, payload));
    raw.addHook('onRequest', limitBody(options.uploadBytes, rates));
    for (const route of served) if (takesRawBody(route)) route.register(raw, context, route.operationId);
  });
  return app;
}

/** A declared length over the limit is refused before anything else is looked at. */
function limitBody(bytes: number, rates: Rates): onRequestHookHandler {
  return (request, reply, done) => {
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > bytes;
    if (!isTooLarge) return done();
    rates.takeAddress(request, reply);
    done(fail.bodyTooLarge(Math.floor(bytes / 1024 / 1024)));
  };
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Names in lower case, as Fastify keeps them: others are made so for each answer. */
function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-api-version', '1');
  for (const [name, value] of harmless) reply.header(name, value);
  const { method, url } = request.routeOptions ?? {};
  if (method !== 'POST' && url && publicUrls.has(url)) reply.header('access-control-allow-origin', '*');
}

/** The router decodes the path itself; the length and the query are checked here. */
function faultOfUrl(request: FastifyRequest): BotelError | undefined {
  const url = request.raw.url ?? '';
  const query = url.slice(url.indexOf('?') + 1);
  return url.length > urlBytes || (query !== url && !isDecodable(query)) ? fail.invalidUrl() : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `null` in a JSON body means absent. Walks without recursion: a body may be nested deeper than the stack. */
function dropNulls(body: unknown): void {
  const found: unknown[] = [body];
  for (let value = found.pop(); value !== undefined; value = found.pop()) {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) continue;
    const fields = value as Record<string, unknown>;
    for (const [key, field] of Object.entries(fields)) {
      if (field === null) delete fields[key];
      else found.push(field);
    }
  }
}

/** A path that can't be decoded never reaches a route; the public name check still answers, on the raw text. */
async function replyToBadUrl(
  { services, rates }: RouteContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const tooMany = rates.takeAddress(request, reply);
  if (tooMany) return replyWithError(tooMany, request, reply);
  const rawName = /^\/apps\/check\/([^/?#]*)(?:\?|$)/.exec(request.raw.url ?? '')?.[1];
  if (rawName === undefined || request.raw.method !== 'GET') return replyWithError(error, request, reply);
  reply.header('Access-Control-Allow-Origin', '*');
  return reply.send({ success: true, data: await services.apps.check(rawName) });
}
