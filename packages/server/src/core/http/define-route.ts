// How a route is declared: one object per endpoint (file path = URL), registered by app.ts. Turns the declaration into
// schemas, authentication and the success envelope; handlers only call one service and say what comes back.
import { success } from '@botel/contract/envelope';
import type { Scope } from '@botel/contract/vocabulary';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preHandlerHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import { z } from 'zod';
import type { Caller } from '../domain/access.ts';
import type { Services } from '../../api/services/services.ts';
import { authenticate } from './authenticate.ts';
import type { RateKind } from './rates.ts';
import { type Forward, relay } from '../../api/http/relay.ts';
import type { RouteContext } from './route-context.ts';
import type { SessionCookies } from './session-cookies.ts';

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler gets. `body`, `params` and `query` are validated. */
interface RouteInput<B, P, Q, C> {
  services: Services;
  caller: C;
  body: Output<B>;
  params: Output<P>;
  query: Output<Q>;
  request: FastifyRequest;
  cookies: SessionCookies;
}

interface RouteDeclaration<B, P, Q> {
  method: 'GET' | 'POST' | 'PUT';
  /** Fastify syntax: `/bots/:id`. */
  url: string;
  /** One line for the API description. */
  summary: string;
  /** `null` = public: no token is asked for. */
  scope: Scope | null;
  body?: B;
  params?: P;
  query?: Q;
  /** It needs the files of bots, or the machine that they run on: answered where those are. */
  needsHomes?: true;
  /** What the route counts as, besides a request of its caller or of its address. */
  rate?: RateKind;
}

/** What a handler says. */
interface JsonAnswer<D> {
  data: D;
  message?: string;
  headers?: Record<string, string>;
}

/** A route whose answer is the JSON envelope around `data`. */
export interface JsonRoute<B, P, Q, D extends z.ZodType, C> extends RouteDeclaration<B, P, Q> {
  data: D;
  status?: 200 | 201;
  /** `raw`: the request body reaches the handler unread, as a stream (`request.body`). */
  bodyKind?: 'json' | 'raw';
  /** Media types of a raw body, for the API description. */
  consumes?: string[];
  handle(input: RouteInput<B, P, Q, C>): Promise<JsonAnswer<z.input<D>>>;
}

/** A route that writes its own answer (bytes, streams). Errors before the first byte are enveloped. */
export interface RawRoute<B, P, Q, C> extends RouteDeclaration<B, P, Q> {
  /** Media types of the answer, for the API description. */
  produces: string[];
  send(input: RouteInput<B, P, Q, C>, reply: FastifyReply): Promise<unknown>;
}

/** A declared route, ready to be registered. */
export interface Route {
  declaration: RouteDeclaration<unknown, unknown, unknown> & { bodyKind?: 'json' | 'raw'; consumes?: string[] };
  /** `operationId` names the route in the API description. */
  register(app: FastifyInstance, context: RouteContext, operationId: string): void;
}

type Schema = z.ZodType | undefined;

/** Declares a JSON route that needs a caller. */
export function defineRoute<
  D extends z.ZodType,
  B extends Schema = undefined,
  P extends Schema = undefined,
  Q extends Schema = undefined,
>(declaration: JsonRoute<B, P, Q, D, Caller> & { scope: Scope }): Route {
  return jsonRoute(declaration);
}

/** Declares a JSON route for everybody. */
export function definePublicRoute<
  D extends z.ZodType,
  B extends Schema = undefined,
  P extends Schema = undefined,
  Q extends Schema = undefined,
>(declaration: JsonRoute<B, P, Q, D, null> & { scope: null }): Route {
  return jsonRoute(declaration);
}

/** Declares a route that needs a caller and writes its own answer. */
export function defineRawRoute<
  B extends Schema = undefined,
  P extends Schema = undefined,
  Q extends Schema = undefined,
>(declaration: RawRoute<B, P, Q, Caller> & { scope: Scope }): Route {
  return rawRoute(declaration);
}

/** Declares a route for everybody that writes its own answer. */
export function definePublicRawRoute<
  B extends Schema = undefined,
  P extends Schema = undefined,
  Q extends Schema = undefined,
>(declaration: RawRoute<B, P, Q, null> & { scope: null }): Route {
  return rawRoute(declaration);
}

function rawRoute<B extends Schema, P extends Schema, Q extends Schema, C>(declaration: RawRoute<B, P, Q, C>): Route {
  return {
    declaration,
    register(app, context, operationId) {
      const schema = {
        ...requestSchema(declaration, operationId),
        produces: declaration.produces,
        response: { 200: binary(declaration.produces) },
      };
      app.route({
        method: declaration.method,
        url: declaration.url,
        schema,
        ...checksOf(declaration, context),
        ...answeredBy(declaration, context, (request, reply) => declaration.send(inputOf(request, context), reply)),
      });
    },
  };
}

function jsonRoute<B extends Schema, P extends Schema, Q extends Schema, D extends z.ZodType, C>(
  declaration: JsonRoute<B, P, Q, D, C>,
): Route {
  const status = declaration.status ?? 200;
  return {
    declaration,
    register(app, context, operationId) {
      app.route({
        method: declaration.method,
        url: declaration.url,
        schema: { ...requestSchema(declaration, operationId), response: { [status]: success(declaration.data) } },
        ...checksOf(declaration, context),
        ...answeredBy(declaration, context, async (request, reply) => {
          const { data, message, headers } = await declaration.handle(inputOf(request, context));
          reply.code(status);
          if (headers) reply.headers(headers);
          return message === undefined ? { success: true, data } : { success: true, data, message };
        }),
      });
    },
  };
}

/** Whether this process sends requests of the route on. */
export function isRelayed({ needsHomes }: Route['declaration'], forward: Forward | null): boolean {
  return needsHomes === true && forward !== null;
}

/** The route's own handler, or the relay, which leaves it to the other process to judge what comes in. */
function answeredBy(declaration: Route['declaration'], { forward }: RouteContext, handler: RouteHandlerMethod) {
  if (!forward || !isRelayed(declaration, forward)) return { handler };
  const relayed: RouteHandlerMethod = (request, reply) => relay(forward, request, reply);
  return { handler: relayed, validatorCompiler: () => () => true };
}

/** Who asks, and how often, before the body is read; a bot's own limit, once its id is known. */
function checksOf(declaration: Route['declaration'], context: RouteContext) {
  const { scope, rate, bodyKind } = declaration;
  const { rates, forward } = context;
  const onRequest: onRequestAsyncHookHandler | onRequestHookHandler = scope
    ? authenticate(context, scope, bodyKind === 'raw' || isRelayed(declaration, forward))
    : (request, reply, done) => done(rates.takeAddress(request, reply, rate));
  const preHandler: preHandlerHookHandler = (request, reply, done) => {
    const { bot_id: botId } = request.body as { bot_id: string };
    done(rates.takeLifecycle(reply, (request.caller as Caller).userId, botId));
  };
  return rate === 'lifecycle' ? { onRequest, preHandler } : { onRequest };
}

function requestSchema(
  declaration: Route['declaration'],
  operationId: string,
): FastifySchema & Record<string, unknown> {
  return {
    operationId,
    tags: [declaration.url.split('/')[1] ?? ''],
    summary: declaration.summary,
    security: declaration.scope ? [{ session: [] }] : [],
    ...(declaration.body ? { body: declaration.body } : {}),
    ...(declaration.params ? { params: declaration.params } : {}),
    ...(declaration.query ? { querystring: declaration.query } : {}),
    ...(declaration.bodyKind === 'raw' ? { consumes: declaration.consumes ?? ['application/octet-stream'] } : {}),
  };
}

const anyText = z.string();

function binary(produces: string[]) {
  return { description: 'The bytes', content: Object.fromEntries(produces.map((type) => [type, { schema: anyText }])) };
}

function inputOf<B, P, Q, C>(request: FastifyRequest, { services, cookies }: RouteContext): RouteInput<B, P, Q, C> {
  return {
    services,
    cookies,
    caller: request.caller as C,
    body: request.body as Output<B>,
    params: request.params as Output<P>,
    query: request.query as Output<Q>,
    request,
  };
}
