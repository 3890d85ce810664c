// GET /bots/:id/logs/stream
import { botParams } from '@botel/contract/bots';
import { logStreamQuery } from '@botel/contract/logs';
import type { FastifyRequest } from 'fastify';
import type { LogEventStream } from '../../../services/log-event-stream.ts';
import { defineRawRoute } from '../../define-route.ts';
import { type LogFormat, ndjson, serverSentEvents } from '../../log-frames.ts';
import { sendStream } from '../../send-stream.ts';

export const streamLogs = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/logs/stream',
  summary: "A bot's log lines and status changes as they happen",
  scope: 'logs.read',
  produces: [serverSentEvents.mediaType, ndjson.mediaType],
  params: botParams,
  query: logStreamQuery,
  async send({ services, caller, params, query, request }, reply) {
    const format = request.headers.accept?.includes(ndjson.mediaType) ? ndjson : serverSentEvents;
    const stream = await services.logs.open(caller, params.id, {
      start: startOf(request, query),
      run: query.run,
      stream: query.stream,
    });
    return sendStream(reply, stream, { mediaType: format.mediaType, frames: frames(stream, format) });
  },
});

async function* frames(stream: LogEventStream, format: LogFormat): AsyncGenerator<Buffer> {
  if (format.opening.length > 0) yield format.opening;
  for await (const event of stream.events()) yield format.encode(event);
}

type Start = { after?: number | undefined; since?: number | undefined; tail: number };

/** A client that reconnects says by itself where it stopped. */
function startOf(request: FastifyRequest, { after, since, tail }: Start) {
  const lastEventId = request.headers['last-event-id'];
  if (typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId)) return { after: Number(lastEventId) };
  if (after !== undefined) return { after };
  return since === undefined ? { tail } : { since };
}
