// Builds the HTTP application: limits, hooks, parsers and every route of the route table. Must not know what routes do.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createJsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { fail } from '../domain/errors.ts';
import type { Services } from '../services/services.ts';
import { openApiDocument } from './openapi-document.ts';
import { replyWithError } from './error-reply.ts';
import { routes } from './routes/routes.ts';

const jsonBodyBytes = 1024 * 1024;
const urlBytes = 8192;

export interface AppOptions {
  logger: FastifyBaseLogger;
  /** Checks every response against its schema before it is sent. */
  checkResponses: boolean;
  /** Largest body of an upload, in bytes. */
  uploadBytes: number;
  version: string;
}

/** The application, not yet listening. */
export async function buildApp(services: Services, options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    disableRequestLogging: true,
    bodyLimit: jsonBodyBytes,
    forceCloseConnections: true,
    requestTimeout: 0,
    connectionTimeout: 0,
    routerOptions: { maxParamLength: urlBytes },
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => {
      stamp(request, reply);
      return replyToBadUrl(services, error, request, reply);
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(options.checkResponses ? serializerCompiler : () => JSON.stringify);
  app.setErrorHandler((error, request, reply) => replyWithError(error, request, reply));
  app.setNotFoundHandler((request, reply) => replyWithError(fail.notFound(), request, reply));
  app.decorateRequest('caller', null);
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async (request, reply) => stamp(request, reply));
  app.addHook('preValidation', async (request) => dropNulls(request.body));
  await app.register(swagger, {
    openapi: openApiDocument(options.version),
    transform: createJsonSchemaTransform({}) as never,
  });

  await app.register(async (json) => {
    json.addHook('onRequest', limitBody(jsonBodyBytes));
    for (const route of routes) if (route.declaration.bodyKind !== 'raw') route.register(json, services);
  });
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { bodyLimit: options.uploadBytes }, (_request, payload, done) => done(null, payload));
    raw.addHook('onRequest', limitBody(options.uploadBytes));
    for (const route of routes) if (route.declaration.bodyKind === 'raw') route.register(raw, services);
  });
  return app;
}

/** A declared length over the limit is refused before anything else is looked at. */
function limitBody(bytes: number) {
  return async (request: FastifyRequest) => {
    if (Number(request.headers['content-length'] ?? 0) > bytes)
      throw fail.bodyTooLarge(Math.floor(bytes / 1024 / 1024));
  };
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID();
}

function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  reply.header('X-API-Version', '1');
}

/** `null` in a JSON body means absent. */
function dropNulls(body: unknown): void {
  if (typeof body !== 'object' || body === null || Object.getPrototypeOf(body) !== Object.prototype) return;
  for (const [key, value] of Object.entries(body)) {
    if (value === null) delete (body as Record<string, unknown>)[key];
    else dropNulls(value);
  }
}

/** A path that can't be decoded never reaches a route; the public name check still answers, on the raw text. */
async function replyToBadUrl(
  services: Services,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rawName = /^\/apps\/check\/([^/?#]*)/.exec(request.raw.url ?? '')?.[1];
  if (rawName === undefined || request.raw.method !== 'GET') return replyWithError(error, request, reply);
  return reply.send({ success: true, data: await services.apps.check(rawName) });
}
