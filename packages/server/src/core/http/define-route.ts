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

/** `body`, `params` and `query` are validated. */
interface RouteInput<S, B, P, Q, C> {
  services: S;
  caller: C;
  body: Output<B>;
  params: Output<P>;
  query: Output<Q>;
  request: FastifyRequest;
  cookies: SessionCookies;
}

export interface RouteDeclaration<B = unknown, P = unknown, Q = unknown> {
  method: 'GET' | 'POST' | 'PUT';
  /** Fastify syntax: `/bots/:id`. */
  url: string;
  /** One line for the API description. */
  summary: string;
  /** `null` = public, without authentication. */
  scope: Scope | null;
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
interface JsonRoute<S, B, P, Q, D extends z.ZodType, C> extends RouteDeclaration<B, P, Q> {
  data: D;
  status?: 200 | 201;
  handle(input: RouteInput<S, B, P, Q, C>): Promise<JsonAnswer<z.input<D>>>;
}

/** A route that writes its own answer. Errors before the first byte use the envelope. */
interface RawRoute<S, B, P, Q, C> extends RouteDeclaration<B, P, Q> {
  /** Media types of the answer, for the API description. */
  produces: string[];
  send(input: RouteInput<S, B, P, Q, C>, reply: FastifyReply): Promise<unknown>;
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

/** The four ways to declare a route of a process with the services `S`. */
export function routeDefinitions<S>() {
  return {
    /** A JSON route that needs a caller. */
    defineRoute: <
      D extends z.ZodType,
      B extends Schema = undefined,
      P extends Schema = undefined,
      Q extends Schema = undefined,
    >(
      declaration: JsonRoute<S, B, P, Q, D, Caller> & { scope: Scope },
    ): Route<S> => jsonRoute(declaration),
    /** A public JSON route. */
    definePublicRoute: <
      D extends z.ZodType,
      B extends Schema = undefined,
      P extends Schema = undefined,
      Q extends Schema = undefined,
    >(
      declaration: JsonRoute<S, B, P, Q, D, null> & { scope: null },
    ): Route<S> => jsonRoute(declaration),
    /** A route that needs a caller and writes its own answer. */
    defineRawRoute: <B extends Schema = undefined, P extends Schema = undefined, Q extends Schema = undefined>(
      declaration: RawRoute<S, B, P, Q, Caller> & { scope: Scope },
    ): Route<S> => rawRoute(declaration),
    /** A public route that writes its own answer. */
    definePublicRawRoute: <B extends Schema = undefined, P extends Schema = undefined, Q extends Schema = undefined>(
      declaration: RawRoute<S, B, P, Q, null> & { scope: null },
    ): Route<S> => rawRoute(declaration),
  };
}

function rawRoute<S, B extends Schema, P extends Schema, Q extends Schema, C>(
  declaration: RawRoute<S, B, P, Q, C>,
): Route<S> {
  const { produces } = declaration;
  return {
    declaration,
    schema: { ...requestSchema(declaration), produces, response: { 200: binary(produces) } },
    handler: (context) => (request, reply) => declaration.send(inputOf(request, context), reply),
  };
}

function jsonRoute<S, B extends Schema, P extends Schema, Q extends Schema, D extends z.ZodType, C>(
  declaration: JsonRoute<S, B, P, Q, D, C>,
): Route<S> {
  const status = declaration.status ?? 200;
  return {
    declaration,
    schema: { ...requestSchema(declaration), response: { [status]: success(declaration.data) } },
    handler: (context) => async (request, reply) => {
      const { data, message, headers } = await declaration.handle(inputOf(request, context));
      reply.code(status);
      if (headers) reply.headers(headers);
      return message === undefined ? { success: true, data } : { success: true, data, message };
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

function inputOf<S, B, P, Q, C>(
  request: FastifyRequest,
  { services, cookies }: HandlerContext<S>,
): RouteInput<S, B, P, Q, C> {
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
