// GET /apps/:id/logs/stream
import { accessStreamQuery } from '@botel/contract/app-traffic';
import { appParams } from '@botel/contract/apps';
import { defineRawRoute } from '../../../core/http/define-route.ts';
import { framesOf, ndjson, serverSentEvents } from '../../http/log-frames.ts';
import { logStartOf } from '../../http/log-start.ts';
import { sendStream } from '../../http/send-stream.ts';

export const streamAppLogs = defineRawRoute({
  method: 'GET',
  url: '/apps/:id/logs/stream',
  summary: 'The requests to an app as they happen',
  scope: 'logs.read',
  produces: [serverSentEvents.mediaType, ndjson.mediaType],
  params: appParams,
  query: accessStreamQuery,
  async send({ services, caller, params, query, request }, reply) {
    const format = request.headers.accept?.includes(ndjson.mediaType) ? ndjson : serverSentEvents;
    const stream = await services.appTraffic.open(caller, params.id, logStartOf(request, query));
    return sendStream(reply, stream, { mediaType: format.mediaType, frames: framesOf(stream.events(), format) });
  },
});
