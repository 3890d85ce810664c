// The fixed part of the API description; paths and schemas come from the routes.

export function openApiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Botel',
      version,
      description:
        'Hosts long-running programs ("bots") in containers of their own. Every JSON answer is one envelope: success, data, message; or success, error.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    components: {
      securitySchemes: {
        session: { type: 'http' as const, scheme: 'bearer', description: 'A session token from POST /auth/login' },
      },
    },
  };
}
