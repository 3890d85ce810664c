// GET /events/stream
import { defineRawRoute } from '../../http/define-route.ts';
import { encodeStreamEvent } from '../../http/event-frames.ts';
import { sendEvents, streamMediaTypes } from '../../http/stream-format.ts';

export const streamEvents = defineRawRoute({
  method: 'GET',
  url: '/events/stream',
  summary: 'What happens to all bots of the caller, as it happens; Last-Event-ID resumes events',
  scope: 'bot.read',
  produces: streamMediaTypes,
  async send({ services, caller, request }, reply) {
    const lastEventId = request.headers['last-event-id'];
    const after = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    const stream = services.events.open(caller, after);
    return sendEvents(request, reply, { stream, encode: encodeStreamEvent });
  },
});
