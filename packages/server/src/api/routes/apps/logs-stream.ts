// GET /apps/:id/logs/stream
import { accessStreamQuery } from '@botel/contract/app-traffic';
import { appParams } from '@botel/contract/apps';
import { defineRawRoute } from '../../http/define-route.ts';
import { encodeLogEvent } from '../../http/log-frames.ts';
import { logStartOf } from '../../http/log-start.ts';
import { sendEvents, streamMediaTypes } from '../../http/stream-format.ts';

export const streamAppLogs = defineRawRoute({
  method: 'GET',
  url: '/apps/:id/logs/stream',
  summary: 'The requests to an app as they happen',
  scope: 'logs.read',
  produces: streamMediaTypes,
  params: appParams,
  query: accessStreamQuery,
  async send({ services, caller, params, query, request }, reply) {
    const stream = await services.appTraffic.open(caller, params.id, logStartOf(request, query));
    return sendEvents(request, reply, { stream, encode: encodeLogEvent });
  },
});
