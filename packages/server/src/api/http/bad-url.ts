// Paths that can't be decoded reach no route; the public name check still answers them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppsService } from '../services/apps.ts';

/** Undefined = the usual error applies. */
export function answerBadUrl(
  apps: Pick<AppsService, 'check'>,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> | undefined {
  const name = /^\/apps\/check\/([^/?#]*)(?:\?|$)/.exec(raw.url ?? '')?.[1];
  if (name === undefined || raw.method !== 'GET') return undefined;
  reply.header('Access-Control-Allow-Origin', '*');
  return apps.check(name).then((data) => reply.send({ success: true, data }));
}
