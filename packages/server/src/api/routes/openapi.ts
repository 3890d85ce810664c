// GET /openapi.json
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Route } from '../../core/http/define-route.ts';

const mediaType = 'application/vnd.oai.openapi+json';

/** The description of this API; not in the envelope. */
export const openapi: Route = {
  declaration: { method: 'GET', url: '/openapi.json', summary: 'This description', scope: null },
  register(app: FastifyInstance, _services, operationId) {
    const content = { [mediaType]: { schema: z.looseObject({}) } };
    const schema = {
      operationId,
      tags: ['openapi.json'],
      summary: this.declaration.summary,
      security: [],
      response: { 200: { description: 'OpenAPI 3.1', content } },
    };
    app.get(this.declaration.url, { schema: schema as never }, async (_request, reply) => {
      return reply.type(mediaType).serializer(JSON.stringify).send(app.swagger());
    });
  },
};
