// The hooks behind `Idempotency-Key`: a repeated POST gets the answer of the first one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../domain/errors.ts';
import type { IdempotentRequests } from '../services/idempotent-requests.ts';
import type { RequestId } from '../store/idempotency-keys.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a request with an Idempotency-Key runs. */
    idempotent: RequestId | null;
  }
}

/** Routes whose answers hold environment values, signed links or codes, which are never stored. */
const secretAnswers = new Set([
  '/admin/users/reset',
  '/backups/delete',
  '/backups/lock',
  '/bots/:id/backups',
  '/bots/env/set',
]);
const keptHeaders = ['content-type', 'x-error-code', 'x-error-field'];

/** Whether answers of the route are stored and replayed. */
export function isReplayed({ method, url }: { method: unknown; url?: string | undefined }): boolean {
  return method === 'POST' && url !== undefined && !url.startsWith('/auth/') && !secretAnswers.has(url);
}

export function replayAnswers(app: FastifyInstance, requests: IdempotentRequests): void {
  app.decorateRequest('idempotent', null);
  app.addHook('preHandler', (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined || !request.caller || !request.body || !isReplayed(request.routeOptions)) return done();
    begin(requests, String(key), request, reply).then((isAnswered) => isAnswered || done(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.idempotent) return done(null, payload);
    const headers = keptHeaders.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    });
    requests
      .end(request.idempotent, {
        status: reply.statusCode,
        headers: Object.fromEntries(headers),
        body: String(payload),
      })
      .catch((error) => request.log.error({ reqId: request.id, err: error }, 'answer not kept for its Idempotency-Key'))
      .then(() => done(null, payload));
  });
}

/** Resolves with true when the stored answer was sent. */
async function begin(
  requests: IdempotentRequests,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail.invalidInput('Idempotency-Key', 'is not valid');
  const content = `${request.url}\n${JSON.stringify(request.body)}`;
  const begun = await requests.begin(request.caller?.userId ?? '', key, content);
  if ('keyHash' in begun) {
    request.idempotent = begun;
    return false;
  }
  reply.code(begun.status).headers(begun.headers).header('Idempotency-Replayed', 'true');
  reply.send(begun.body);
  return true;
}
