// Makes browsers that reached Botel over https stay with https, for the host of its public URL.
import type { FastifyInstance } from 'fastify';

const yearSeconds = 365 * 24 * 60 * 60;

/** Does nothing unless `publicUrl` is https, or for localhost, which other programs share. */
export function strictTransport(app: FastifyInstance, publicUrl: string): void {
  const { protocol, hostname } = URL.parse(publicUrl) ?? {};
  if (protocol !== 'https:' || /(^|\.)localhost$/.test(hostname ?? '')) return;
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', `max-age=${yearSeconds}`);
    done();
  });
}
