// GET /events/stream
import type { EventStream } from '../../services/event-stream.ts';
import { defineRawRoute } from '../../../core/http/define-route.ts';
import { type EventFormat, ndjson, serverSentEvents } from '../../http/event-frames.ts';
import { sendStream } from '../../http/send-stream.ts';

export const streamEvents = defineRawRoute({
  method: 'GET',
  url: '/events/stream',
  summary: 'What happens to all bots of the caller, as it happens; Last-Event-ID resumes events',
  scope: 'bot.read',
  produces: [serverSentEvents.mediaType, ndjson.mediaType],
  async send({ services, caller, request }, reply) {
    const format = request.headers.accept?.includes(ndjson.mediaType) ? ndjson : serverSentEvents;
    const lastEventId = request.headers['last-event-id'];
    const after = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    const stream = services.events.open(caller, after);
    return sendStream(reply, stream, { mediaType: format.mediaType, frames: frames(stream, format) });
  },
});

async function* frames(stream: EventStream, format: EventFormat): AsyncGenerator<Buffer> {
  if (format.opening !== '') yield Buffer.from(format.opening);
  for await (const event of stream.events()) yield Buffer.from(format.encode(event));
}
