// Sends whole requests on to the process that can answer them, and its answers back, both as streams: what is not read on
// one side is not sent on the other. Must not change what goes through.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../core/domain/errors.ts';

/** Resolves with the head of the answer; rejects when nobody answers. */
export type Forward = (request: {
  method: string;
  url: string;
  headers: OutgoingHttpHeaders;
  body: Readable | null;
  signal: AbortSignal;
}) => Promise<IncomingMessage>;

/** Of a connection, not of the request or the answer; and what each side says for itself. */
const ownHeaders = new Set([
  'connection',
  'date',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
]);

/** Answers the request with what `forward` brings; 503 when that is nothing. */
export async function relay(forward: Forward, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const { method, url = '/' } = request.raw;
  const headers = { ...passedOn(request.headers), 'x-request-id': request.id };
  const body = request.body instanceof Readable ? request.body : null;
  const answer = await forward({ method: method ?? 'GET', url, headers, body, signal: gone.signal }).catch(() => {
    throw fail.notReady('agent');
  });
  return reply
    .code(answer.statusCode ?? 502)
    .headers(passedOn(answer.headers) as Record<string, string>)
    .send(answer);
}

function passedOn(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
}
