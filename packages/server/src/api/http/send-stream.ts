// Sends an endless stream of events as the body of an answer, one at a time: a slow client keeps no
// more than that in memory.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A client that does not read gets this long to take the last event. */
const lastEventMs = 1000;

export interface EndingStream {
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
  const body = oneByOne(frames, reply.raw);
  // Closed with the connection, not with the last event: who waits for the end waits until that is
  // sent.
  reply.raw.once('close', () => stream.close());
  if (reply.raw.destroyed) stream.close();
  stream.ending.addEventListener('abort', () => setTimeout(() => body.destroy(), lastEventMs).unref());
  return reply
    .type(mediaType)
    .header('Cache-Control', 'no-cache, no-transform')
    .header('X-Accel-Buffering', 'no')
    .send(body);
}

/** No frame is asked for before the machine has taken the last one; Readable.from would have two in
 * memory, and the socket more. */
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
      // It may be waiting for its next frame, which its stream ends when the connection is closed.
      iterator.return?.().catch(() => {});
    },
  });
}

/** Resolves when nothing of the answer waits in this process, also when the connection is gone. */
function allTaken({ socket, writableLength }: ServerResponse): Promise<void> {
  if (!socket || writableLength === 0) return Promise.resolve();
  // Behind all that waits.
  return new Promise((resolve) => socket.write('', () => resolve()));
}
