// The API description's fixed part, and what the schemas of routes can't express.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';

/** Collects the description of every route registered afterwards. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, { openapi: openApiDocument(version), transform: describeRoute as never });
}

function openApiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Botel',
      version,
      description:
        'Hosts long-running programs ("bots") in containers of their own. Every JSON answer is one envelope: success, data, message; or success, error. A POST with a JSON body may carry an Idempotency-Key: sent again within 24 hours it gets the first answer and does nothing.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    components: {
      securitySchemes: {
        session: { type: 'http' as const, scheme: 'bearer', description: 'A session token from POST /auth/login' },
      },
    },
  };
}

const failureResponse = {
  description: 'Refused; docs/errors.md lists the codes',
  headers: {
    'X-Error-Code': { type: 'string', description: 'Which failure it is' },
    'X-Error-Field': { type: 'string', description: 'The field of the input at fault, percent-encoded' },
  },
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { success: { type: 'boolean', enum: [false] }, error: { type: 'string' } },
        required: ['success', 'error'],
        additionalProperties: false,
      },
    },
  },
};

type Transform = ReturnType<typeof createJsonSchemaTransform>;

const toJsonSchema = createJsonSchemaTransform({});

/** Converts a route's schemas to JSON Schema, and adds the failure answer and raw bodies. */
const describeRoute: Transform = (input) => {
  const { schema, url } = toJsonSchema(input) as {
    schema: Record<string, unknown> & { response?: object };
    url: string;
  };
  if (!schema || schema.hide) return { schema, url };
  const { consumes } = schema as { consumes?: string[] };
  return {
    url,
    schema: {
      ...schema,
      ...(consumes && { body: bodyOfBytes(consumes) }),
      response: { ...schema.response, default: failureResponse },
    },
  };
};

function bodyOfBytes(mediaTypes: string[]) {
  const schema = { type: 'string', format: 'binary' };
  return { content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])) };
}
