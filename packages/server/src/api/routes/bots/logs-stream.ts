// GET /bots/:id/logs/stream
import { botParams } from '@botel/contract/bots';
import { logStreamQuery } from '@botel/contract/logs';
import { defineRawRoute } from '../../http/define-route.ts';
import { encodeLogEvent } from '../../http/log-frames.ts';
import { logStartOf } from '../../http/log-start.ts';
import { sendEvents, streamMediaTypes } from '../../http/stream-format.ts';

export const streamLogs = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/logs/stream',
  summary: "A bot's log lines and status changes as they happen",
  scope: 'logs.read',
  produces: streamMediaTypes,
  params: botParams,
  query: logStreamQuery,
  async send({ services, caller, params, query, request }, reply) {
    const stream = await services.logs.open(caller, params.id, {
      start: logStartOf(request, query),
      run: query.run,
      stream: query.stream,
    });
    return sendEvents(request, reply, { stream, encode: encodeLogEvent });
  },
});
