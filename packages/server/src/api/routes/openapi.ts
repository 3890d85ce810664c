// GET /openapi.json
import { z } from 'zod';
import type { Route } from '../../core/http/define-route.ts';

const mediaType = 'application/vnd.oai.openapi+json';
const summary = 'This description';

/** The API description, sent without envelope. */
export const openapi: Route<unknown> = {
  declaration: { method: 'GET', url: '/openapi.json', summary, scope: null },
  schema: {
    tags: ['openapi.json'],
    summary,
    security: [],
    response: { 200: { description: 'OpenAPI 3.1', content: { [mediaType]: { schema: z.looseObject({}) } } } },
  },
  handler: () => async (request, reply) =>
    reply.type(mediaType).serializer(JSON.stringify).send(request.server.swagger()),
};
