// Sends an endless stream of events one at a time: a slow client keeps only one in memory.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** How long a stalled client gets to take the last event. */
const lastEventMs = 1000;

export interface EndingStream {
  /** Aborted when the last event is about to be sent. */
  ending: AbortSignal;
  close(): void;
}

/** `frames` are the bytes of the body, in order. */
export function sendStream(
  reply: FastifyReply,
  stream: EndingStream,
  { mediaType, frames }: { mediaType: string; frames: AsyncIterable<Buffer> },
): FastifyReply {
  reply.request.watchesItself = true;
  const body = oneByOne(frames, reply.raw);
  // Closed with the connection, not with the last event, so that waiters see the last event sent.
  reply.raw.once('close', () => stream.close());
  if (reply.raw.destroyed) stream.close();
  stream.ending.addEventListener('abort', () => setTimeout(() => body.destroy(), lastEventMs).unref());
  return reply
    .type(mediaType)
    .header('Cache-Control', 'no-cache, no-transform')
    .header('X-Accel-Buffering', 'no')
    .send(body);
}

/** Reads a frame only after the kernel took the last one; Readable.from would keep two. */
function oneByOne(frames: AsyncIterable<Buffer>, response: ServerResponse): Readable {
  const iterator = frames[Symbol.asyncIterator]();
  return new Readable({
    highWaterMark: 0,
    read() {
      allTaken(response)
        .then(() => iterator.next())
        .then(
          ({ value, done }) => this.push(done ? null : value),
          (error) => this.destroy(error),
        );
    },
    destroy(error, callback) {
      callback(error);
      // The iterator may be waiting for a frame; closing the connection ends its stream.
      iterator.return?.().catch(() => {});
    },
  });
}

/** Resolves when no part of the answer is buffered in this process, or the connection is gone. */
function allTaken({ socket, writableLength }: ServerResponse): Promise<void> {
  if (!socket || writableLength === 0) return Promise.resolve();
  // Queued after all buffered data.
  return new Promise((resolve) => socket.write('', () => resolve()));
}
