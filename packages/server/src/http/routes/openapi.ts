// GET /openapi.json
import type { FastifyInstance } from 'fastify';
import type { Route } from '../define-route.ts';

/** The description of this API; not in the envelope. */
export const openapi: Route = {
  declaration: { method: 'GET', url: '/openapi.json', summary: 'This description', scope: null },
  register(app: FastifyInstance) {
    app.get('/openapi.json', { schema: { hide: true } as never }, async (_request, reply) => {
      return reply.type('application/vnd.oai.openapi+json').serializer(JSON.stringify).send(app.swagger());
    });
  },
};
