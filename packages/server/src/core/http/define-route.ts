// Declares routes: one object per endpoint, turned into schemas and a handler. A file path follows
// the URL without its parameters.
import { success } from '@botel/contract/envelope';
import type { Scope } from '@botel/contract/vocabulary';
import type { FastifyReply, FastifyRequest, FastifySchema, RouteHandlerMethod } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../domain/access.ts';
import type { RateKind } from './rates.ts';
import type { SessionCookies } from './session-cookies.ts';

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** A route without a scope is public: nobody is authenticated. */
type CallerOf<Sc> = Sc extends Scope ? Caller : null;

/** `body`, `params` and `query` are validated. */
interface RouteInput<S, Sc, B, P, Q> {
  services: S;
  caller: CallerOf<Sc>;
  body: Output<B>;
  params: Output<P>;
  query: Output<Q>;
  request: FastifyRequest;
  cookies: SessionCookies;
  /** Fires when the client is gone before its answer is complete. */
  readonly signal: AbortSignal;
}

export interface RouteDeclaration<Sc = Scope | null, B = unknown, P = unknown, Q = unknown> {
  method: 'GET' | 'POST' | 'PUT';
  /** Fastify syntax: `/bots/:id`. */
  url: string;
  /** One line for the API description. */
  summary: string;
  /** `null` = public, without authentication. */
  scope: Sc;
  body?: B;
  params?: P;
  query?: Q;
  /** Additional rate limit, besides that of the caller or the address. */
  rate?: RateKind;
  /** `raw`: the handler reads the request body itself, as a stream (`request.body`). */
  bodyKind?: 'json' | 'raw';
  /** Media types of a raw body, for the API description. */
  consumes?: string[];
}

/** Answer of a handler. */
interface JsonAnswer<D> {
  data: D;
  message?: string;
  headers?: Record<string, string>;
}

/** A route whose answer is the JSON envelope around `data`. */
interface JsonRoute<S, Sc, B, P, Q, D extends z.ZodType> extends RouteDeclaration<Sc, B, P, Q> {
  data: D;
  status?: 200 | 201;
  handle(input: RouteInput<S, Sc, B, P, Q>): Promise<JsonAnswer<z.input<D>>>;
}

/** A route that writes its own answer. Errors before the first byte use the envelope. */
interface RawRoute<S, Sc, B, P, Q> extends RouteDeclaration<Sc, B, P, Q> {
  /** Media types of the answer, for the API description. */
  produces: string[];
  send(input: RouteInput<S, Sc, B, P, Q>, reply: FastifyReply): Promise<unknown>;
}

/** Context of all handlers of a process. */
interface HandlerContext<S> {
  services: S;
  cookies: SessionCookies;
}

/** A declared route of a process with the services `S`. */
export interface Route<S> {
  declaration: RouteDeclaration;
  /** Schemas of request and answer, for validation and the API description. */
  schema: FastifySchema & Record<string, unknown>;
  handler(context: HandlerContext<S>): RouteHandlerMethod;
  /** The agent validates and answers the request; it passes through unread. */
  isForwarded?: true;
}

type Schema = z.ZodType | undefined;

/** The two ways to declare a route of a process with the services `S`. */
export function routeDefinitions<S>() {
  return {
    defineRoute<
      Sc extends Scope | null,
      D extends z.ZodType,
      B extends Schema = undefined,
      P extends Schema = undefined,
      Q extends Schema = undefined,
    >(declaration: JsonRoute<S, Sc, B, P, Q, D>): Route<S> {
      const status = declaration.status ?? 200;
      return {
        declaration,
        schema: { ...requestSchema(declaration), response: { [status]: success(declaration.data) } },
        handler: (context) => async (request, reply) => {
          const { data, message, headers } = await declaration.handle(inputOf(request, reply, context));
          reply.code(status);
          if (headers) reply.headers(headers);
          return message === undefined ? { success: true, data } : { success: true, data, message };
        },
      };
    },

    defineRawRoute<
      Sc extends Scope | null,
      B extends Schema = undefined,
      P extends Schema = undefined,
      Q extends Schema = undefined,
    >(declaration: RawRoute<S, Sc, B, P, Q>): Route<S> {
      const { produces } = declaration;
      return {
        declaration,
        schema: { ...requestSchema(declaration), produces, response: { 200: binary(produces) } },
        handler: (context) => (request, reply) => declaration.send(inputOf(request, reply, context), reply),
      };
    },
  };
}

function requestSchema(declaration: RouteDeclaration): FastifySchema & Record<string, unknown> {
  return {
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

function inputOf<S, Sc, B, P, Q>(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, cookies }: HandlerContext<S>,
): RouteInput<S, Sc, B, P, Q> {
  return {
    services,
    cookies,
    caller: request.caller as CallerOf<Sc>,
    body: request.body as Output<B>,
    params: request.params as Output<P>,
    query: request.query as Output<Q>,
    request,
    get signal() {
      return goneSignal(reply);
    },
  };
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => raw.writableFinished || gone.abort());
  return gone.signal;
}
