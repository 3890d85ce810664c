// Every input has a bound: the API's description states one for each field, and requests beyond all
// of them are refused.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { routes } from '../support/all-routes.ts';
import { startFixture } from '../support/fixture.ts';
import { nothing } from './builders.ts';
import { assertRefused, send } from './request.ts';
import { rightRequest } from './valid-inputs.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, guest } = fixture;

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  maxLength?: number;
  maximum?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  const?: unknown;
  pattern?: string;
}

/** Formats whose texts have a length of their own; bytes are bounded by the size of an upload. */
const boundFormats = ['uuid', 'binary'];
/** `^…$` without a repetition that has no end. */
const isBoundPattern = (pattern: string) =>
  /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern.replaceAll('[+-]', ''));

function* unbound(schema: Schema, where: string): Generator<string> {
  if (schema.enum || schema.const !== undefined) return;
  if (schema.anyOf) {
    for (const each of schema.anyOf) yield* unbound(each, where);
    return;
  }
  const types = [schema.type].flat();
  if (types[0] === undefined) yield `${where}: no type`;
  const isText = schema.maxLength !== undefined || boundFormats.includes(schema.format ?? '');
  if (types.includes('string') && !isText && !isBoundPattern(schema.pattern ?? '')) yield `${where}: text`;
  // Numbers beside texts are taken as texts.
  if ((types[0] === 'number' || types[0] === 'integer') && schema.maximum === undefined) yield `${where}: number`;
  if (types.includes('array')) {
    if (schema.maxItems === undefined) yield `${where}: list`;
    yield* unbound(schema.items ?? {}, `${where}[]`);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* unbound(field, `${where}.${name}`);
  if (typeof schema.additionalProperties === 'object') {
    if (schema.maxProperties === undefined) yield `${where}: object`;
    yield* unbound(schema.additionalProperties, `${where}.*`);
  }
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

describe('the description of the API', () => {
  test('has a bound for every text, number, list and object that a request holds', async () => {
    const document = (await (await guest.fetch('GET', '/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const found: string[] = [];
    let fields = 0;
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
        for (const { name, schema } of parameters) found.push(...unbound(schema, `${method} ${path} ?${name}`));
        for (const { schema } of Object.values(requestBody?.content ?? {}))
          found.push(...unbound(schema, `${method} ${path}`));
        fields += parameters.length + Object.keys(requestBody?.content ?? {}).length;
      }
    assert.deepEqual(found, []);
    assert.ok(fields > 50, `${fields} fields`);
  });
});

describe('beyond every bound', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const posts = routes
    .map(({ declaration }) => declaration)
    .filter(({ method, bodyKind }) => method !== 'GET' && bodyKind !== 'raw');

  test('413 for a JSON body over 1 MB, with or without a token, whether its length is told or not', async () => {
    const large = JSON.stringify({ padding: 'x'.repeat(1024 * 1024) });
    const refusal = { status: 413, code: 'too_large', error: 'Body exceeds the 1 MB limit' } as const;
    for (const declaration of posts) {
      const { line } = rightRequest(declaration, nothing);
      assertRefused(await send(guest, line, large), refusal, line);
    }
    const chunks = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const init = { body: chunks, duplex: 'half', headers: { 'Content-Type': 'application/json' } } as RequestInit;
    // A race: the client sees the answer or a closed connection; the server reads no further.
    const status = await client.fetch('POST', '/bots/start', init).then(
      (answer) => answer.status,
      () => 413,
    );
    assert.equal(status, 413);
  });

  test('a body of 400,000 brackets, of 100,000 fields, or with __proto__ is answered at once, and not with 500', async () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, null]));
    const bodies = [
      `{"bot_id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      `{"environment":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"bot_id":"${id}"}`,
      JSON.stringify(fields),
      '{"__proto__":{"admin":true},"bot_id":1}',
      '{"constructor":{"prototype":{"admin":true}},"bot_id":1}',
    ];
    for (const declaration of posts.filter(({ scope }) => scope))
      for (const body of bodies) {
        const { line } = rightRequest(declaration, nothing);
        if (/logout|\/create$/.test(line)) continue;
        const { status } = await send(client, line, body);
        assert.ok(status >= 400 && status < 500, `${line} ${body.slice(0, 40)}: ${status}`);
      }
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  test('1,000 headers, cookies of 15 kB and 300 query parameters are nothing to be sorry for', async () => {
    const headers = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x-${n}`, 'y']));
    assert.equal((await send(guest, 'GET /health', undefined, headers)).status, 200);
    assert.equal((await send(guest, 'GET /health', undefined, { Cookie: 'x'.repeat(15_000) })).status, 200);
    const query = Array.from({ length: 300 }, (_, n) => `limit=${n}&a[${n}]=1`).join('&');
    assert.equal((await send(client, `GET /bots?${encodeURI(query)}`)).status, 400);
  });
});
