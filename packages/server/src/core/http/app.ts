// Builds the HTTP application of a process: limits, hooks, parsers, and its routes.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
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
import type { TrustedProxies } from '../lib/trusted-proxies.ts';
import type { Connections } from './connections.ts';
import { securityHeaders, replyToBrokenRequest, replyWithError } from './error-reply.ts';
import { type Admission, admissionHooks } from './admission.ts';
import type { Route } from './define-route.ts';
import type { Rates } from './rates.ts';
import { replayAnswers } from './replay-answers.ts';
import type { IdempotentRequests } from '../services/idempotent-requests.ts';

const jsonBodyBytes = 1024 * 1024;
const urlBytes = 8192;
/** Time limit for the head of a request. */
const headersMs = 15_000;
/** The routes of a process, by operationId of the API description. */
export type RouteTable<S> = Record<string, Route<S>>;

export interface AppOptions<S> extends Admission {
  routes: RouteTable<S>;
  services: S;
  logger: FastifyBaseLogger;
  /** Validates every response against its schema before sending. */
  checkResponses: boolean;
  /** Maximum body of an upload, in bytes. */
  uploadBytes: number;
  proxies: TrustedProxies;
  /** Null: connections are not bounded. */
  connections: Connections | null;
  /** Null: the header Idempotency-Key is ignored. */
  idempotentRequests: IdempotentRequests | null;
  /** Registers what must precede the routes. */
  prepare?(app: FastifyInstance): Promise<void>;
  /** Answers a path that can't be decoded and reaches no route; undefined = the usual error. */
  answerBadUrl?(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined;
}

/** The application, not yet listening. */
export async function createApp<S>(options: AppOptions<S>): Promise<FastifyInstance> {
  const { rates, connections, proxies } = options;
  const routes = Object.entries(options.routes);
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: jsonBodyBytes,
    forceCloseConnections: true,
    // connections.ts bounds the time that a body may take.
    requestTimeout: 0,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 3 },
    connectionTimeout: 0,
    routerOptions: { maxParamLength: urlBytes },
    genReqId: requestId,
    // A logger per request costs too much: failures are logged with the request's id.
    childLoggerFactory: (logger) => logger,
    clientErrorHandler: (error, socket) => replyToBrokenRequest(error, socket, rates),
    frameworkErrors: async (error, request, reply) => {
      request.address = proxies.addressOf(request.raw);
      stamp(request, reply);
      const tooMany = rates?.takeAddress(request, reply);
      if (tooMany) return replyWithError(tooMany, request, reply);
      return (await options.answerBadUrl?.(request, reply)) ?? replyWithError(error, request, reply);
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(options.checkResponses ? serializerCompiler : () => JSON.stringify);
  app.setErrorHandler((error, request, reply) => replyWithError(error, request, reply));
  app.setNotFoundHandler((request, reply) => replyWithError(fail.notFound(), request, reply));
  app.decorateRequest('caller', null);
  app.decorateRequest('address', '');
  app.decorateRequest('watchesItself', false);
  connections?.watch(app.server);
  app.addHook('onClose', async () => connections?.close());
  app.removeContentTypeParser('text/plain');
  addRequestHooks(app, options);
  await options.prepare?.(app);
  const register = (scope: FastifyInstance, [operationId, route]: [string, Route<S>]) =>
    registerRoute(scope, { operationId, route }, options);
  await app.register(async (json) => {
    if (options.idempotentRequests) replayAnswers(json, options.idempotentRequests);
    for (const entry of routes) if (!isStreamed(entry[1])) register(json, entry);
  });
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { bodyLimit: options.uploadBytes }, (_request, payload, done) => done(null, payload));
    for (const entry of routes) if (isStreamed(entry[1])) register(raw, entry);
  });
  return app;
}

/** These hooks use callbacks: a promise per request and hook is measurably slower. */
function addRequestHooks<S>(app: FastifyInstance, { routes, proxies, rates, connections }: AppOptions<S>): void {
  const publicUrls = new Set(
    Object.values(routes)
      .filter(({ declaration }) => declaration.method === 'GET' && !declaration.scope)
      .map(({ declaration }) => declaration.url),
  );
  app.addHook('onRequest', (request, reply, done) => {
    request.address = proxies.addressOf(request.raw);
    stamp(request, reply);
    const { method, url } = request.routeOptions ?? {};
    // Pages of any origin may read public routes.
    if (method !== 'POST' && url && publicUrls.has(url)) reply.header('access-control-allow-origin', '*');
    // Before the body is parsed: an unknown path needs no valid body.
    const fault = faultOfUrl(request) ?? (request.is404 ? fail.notFound() : undefined);
    done(fault && (rates?.takeAddress(request, reply) ?? fault));
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body !== undefined) dropNulls(request.body);
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    connections?.hold(request, reply);
    done();
  });
}

function registerRoute<S>(
  app: FastifyInstance,
  { operationId, route }: { operationId: string; route: Route<S> },
  options: AppOptions<S>,
): void {
  const { declaration, schema, isForwarded } = route;
  const bodyBytes = declaration.bodyKind === 'raw' ? options.uploadBytes : jsonBodyBytes;
  const { onRequest, ...hooks } = admissionHooks(declaration, isStreamed(route), options);
  app.route({
    method: declaration.method,
    url: declaration.url,
    schema: { operationId, ...schema },
    ...hooks,
    onRequest: [limitBody(bodyBytes, options.rates), onRequest],
    handler: route.handler(options),
    ...(isForwarded && { validatorCompiler: () => () => true }),
  });
}

/** Whether the handler reads the body itself. */
function isStreamed<S>({ declaration, isForwarded }: Route<S>): boolean {
  return declaration.bodyKind === 'raw' || isForwarded === true;
}

/** Rejects a declared length over the limit before any other check. */
function limitBody(bytes: number, rates: Rates | null): onRequestHookHandler {
  return (request, reply, done) => {
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > bytes;
    if (!isTooLarge) return done();
    rates?.takeAddress(request, reply);
    done(fail.bodyTooLarge(Math.floor(bytes / 1024 / 1024)));
  };
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Header names are in lower case, as Fastify keeps them, which saves a conversion per answer. */
function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-api-version', '1');
  for (const [name, value] of securityHeaders) reply.header(name, value);
}

/** Checks the URL's length and query; the router decodes the path. */
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

/** `null` counts as absent. Iterative, since a body may be nested deeper than the stack. */
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
