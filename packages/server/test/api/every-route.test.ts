// Every route of the table requires a token, unless it is public, and has a complete description.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { routes } from '../support/all-routes.ts';
import { startFixture } from '../support/fixture.ts';
import { assertRefused, send, unauthorized } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());

const id = '00000000-0000-4000-8000-000000000000';

/** Values of an Authorization header that are no session; null = no header. */
const badTokens = [
  null,
  '',
  'Bearer',
  'Bearer ',
  'Bearer nonsense',
  `Bearer sess_${'A'.repeat(43)}`,
  `Bearer ${fixture.token}x`,
  `Bearer ${fixture.token.slice(0, -1)}`,
  `Bearer ${fixture.token.replace('sess_', 'SESS_')}`,
  `Bearer ${fixture.token} x`,
  `Bearer ${'x'.repeat(4000)}`,
  `Basic ${Buffer.from(`admin:${fixture.token}`).toString('base64')}`,
  fixture.token,
];

describe('401', () => {
  for (const { declaration } of routes) {
    const { method, url, scope, bodyKind } = declaration;
    if (!scope) continue;
    test(`${method} ${url} without a valid token, before its input is looked at`, async () => {
      for (const value of badTokens) {
        const headers: Record<string, string> = value === null ? {} : { Authorization: value };
        if (bodyKind === 'raw') headers['Content-Type'] = 'application/octet-stream';
        const body = method === 'GET' ? undefined : '{';
        assertRefused(
          await send(fixture.guest, `${method} ${url.replace(':id', id)}`, body, headers),
          unauthorized,
          `${value}`,
        );
      }
    });
  }

  test('a token works in any case of "Bearer"', async () => {
    for (const value of [`bearer ${fixture.token}`, `BEARER  ${fixture.token}`])
      assert.equal((await send(fixture.guest, 'GET /bots', undefined, { Authorization: value })).status, 200);
  });
});

describe('public routes', () => {
  test('are these and no others', () => {
    const open = routes
      .filter(({ declaration }) => !declaration.scope)
      .map(({ declaration }) => `${declaration.method} ${declaration.url}`);
    assert.deepEqual(open.toSorted(), [
      'GET /apps/check/:name',
      'GET /backups/:id/download',
      'GET /health',
      'GET /internal/tls-ask',
      'GET /openapi.json',
      'GET /ready',
      'GET /runtimes',
      'GET /templates',
      'GET /version',
      'POST /auth/login',
      'POST /auth/one-time',
      'POST /auth/register',
      'POST /auth/reset',
      'POST /setup',
    ]);
  });
});

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content: Record<string, { schema: { properties?: object } }> }>;
}

describe('GET /openapi.json', async () => {
  const document = (await (await new BotelClient(fixture.url).fetch('GET', '/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };

  for (const { declaration, operationId } of routes) {
    const {
      method,
      url,
      scope,
      body,
      params,
      bodyKind,
      status = 200,
    } = declaration as typeof declaration & { status?: number };
    test(`describes ${method} ${url}`, () => {
      const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      assert.ok(operation, 'the path and method are described');
      assert.equal(operation.operationId, operationId);
      assert.ok(operation.summary && operation.tags.length === 1);
      assert.deepEqual(operation.security, scope ? [{ session: [] }] : []);
      const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      assert.equal(inPath.length, params ? 1 : 0);
      for (const parameter of operation.parameters ?? []) assert.ok(parameter.schema, parameter.name);
      assert.equal(operation.requestBody !== undefined, body !== undefined || bodyKind === 'raw');
      assert.deepEqual(Object.keys(operation.responses).toSorted(), [String(status), 'default']);
      const failure = operation.responses.default?.content['application/json']?.schema.properties ?? {};
      assert.deepEqual(Object.keys(failure), ['success', 'error']);
      const [mediaType, { schema } = { schema: {} }] =
        Object.entries(operation.responses[status]?.content ?? {})[0] ?? [];
      assert.ok(mediaType && schema);
      if (mediaType === 'application/json')
        assert.deepEqual(Object.keys(schema.properties ?? {}), ['success', 'data', 'message']);
    });
  }

  test('describes nothing else, and names each operation once', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.equal(operations.length, routes.length);
    assert.equal(new Set(operations.map((operation) => operation.operationId)).size, routes.length);
  });
});
