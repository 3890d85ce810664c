// Sends an endless stream of events as the body of an answer, one at a time: a slow client keeps no more than that in
// memory. Must not know what is sent.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A client that does not read gets this long to take the last event. */
const lastEventMs = 1000;

interface EndingStream {
  /** Aborted when the last event is about to be sent. */
  ending: AbortSignal;
  close(): void;
}

/** `frames` are the bytes of the body, in the order in which they are to be read. */
export function sendStream(
  reply: FastifyReply,
  stream: EndingStream,
  { mediaType, frames }: { mediaType: string; frames: AsyncIterable<Buffer> },
): FastifyReply {
  reply.request.watchesItself = true;
  // No read-ahead.
  const body = Readable.from(frames, { objectMode: true, highWaterMark: 0 });
  // Closed with the connection, not with the last event: who waits for the end waits until that is sent.
  reply.raw.once('close', () => stream.close());
  if (reply.raw.destroyed) stream.close();
  stream.ending.addEventListener('abort', () => setTimeout(() => body.destroy(), lastEventMs).unref());
  return reply
    .type(mediaType)
    .header('Cache-Control', 'no-cache, no-transform')
    .header('X-Accel-Buffering', 'no')
    .send(body);
}
