// The unread body of an upload.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { BotelError, fail } from '../../../../core/domain/errors.ts';

/** The body as a stream, an empty one when there is none, and the declared length. */
export function bodyOf(request: FastifyRequest): { body: Readable; lengthBytes: number | null } {
  const length = request.headers['content-length'];
  return {
    body: request.body instanceof Readable ? request.body : Readable.from([]),
    lengthBytes: length === undefined ? null : Number(length),
  };
}

/** Runs `work`, which reads the body; a client that disconnects is no internal error. */
export async function whileReceiving<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BotelError) && request.raw.destroyed && !request.raw.complete) throw fail.invalidRequest();
    throw error;
  }
}
