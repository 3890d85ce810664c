// The two formats of live streams, server-sent events and NDJSON, selected by the Accept header.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EndingStream, sendStream } from './send-stream.ts';

export interface StreamFormat {
  mediaType: string;
  /** Sent before the first event. */
  opening: string;
  /** Encodes one event; `data` is JSON, `id` is digits or null. */
  frame(event: string, id: string | null, data: string): string;
}

const serverSentEvents: StreamFormat = {
  mediaType: 'text/event-stream',
  opening: 'retry: 3000\n\n',
  frame: (event, id, data) => `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`,
};

const ndjson: StreamFormat = {
  mediaType: 'application/x-ndjson',
  opening: '',
  frame: (event, id, data) => `{"event":"${event}","id":${id},"data":${data}}\n`,
};

export const streamMediaTypes = [serverSentEvents.mediaType, ndjson.mediaType];

export type EncodeEvent<Event> = (event: Event, format: StreamFormat) => Buffer;

interface EventSource<Event> extends EndingStream {
  events(): AsyncIterable<Event>;
}

export function sendEvents<Event>(
  request: FastifyRequest,
  reply: FastifyReply,
  { stream, encode }: { stream: EventSource<Event>; encode: EncodeEvent<Event> },
): FastifyReply {
  const format = request.headers.accept?.includes(ndjson.mediaType) ? ndjson : serverSentEvents;
  async function* frames(): AsyncGenerator<Buffer> {
    if (format.opening !== '') yield Buffer.from(format.opening);
    for await (const event of stream.events()) yield encode(event, format);
  }
  return sendStream(reply, stream, { mediaType: format.mediaType, frames: frames() });
}
