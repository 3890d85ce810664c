// Where a live stream of a log starts. Pure.
import type { FastifyRequest } from 'fastify';

interface Wanted {
  after?: number | undefined;
  since?: number | undefined;
  tail: number;
}

/** A reconnecting client sends the last position in a header. */
export function logStartOf(request: FastifyRequest, { after, since, tail }: Wanted) {
  const lastEventId = request.headers['last-event-id'];
  if (typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId)) return { after: Number(lastEventId) };
  if (after !== undefined) return { after };
  return since === undefined ? { tail } : { since };
}
