// Hostile texts in every text field of every route: the answer is data, never a server error, and
// no program of the caller's choice runs.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { routes } from '../support/all-routes.ts';
import { startFixture } from '../support/fixture.ts';
import { makeThings } from './builders.ts';
import { rightRequest, type Things } from './valid-inputs.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '20', BOTEL_REGISTRATION: 'open' });
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

const hostile = [
  '$(touch /tmp/owned)',
  '`id`; reboot #',
  "'; drop table bots; --",
  '" || 1==1 && "',
  '--privileged',
  '-rf',
  '../../../../etc/passwd',
  '/etc/shadow',
  'a\u0000b',
  'a\r\nX-Injected: 1\r\n\r\n<html>',
  '<script>alert(1)</script>',
  '{{7*7}}${7*7}#{7*7}',
  '%s%n%00%0d%0a',
  '\u001b[2J\u001b]0;owned\u0007',
  '\u202egnp.exe\u2066',
  'İıſK\u0301\uFEFF\u200b',
  '\ud800lone\udc00',
  '__proto__',
  'NaN',
  ' ',
  '',
  'x'.repeat(10_000),
  '💥'.repeat(2500),
];

interface Field {
  what: string;
  /** Sends a request that is right but for this field. */
  sendWith(text: string): Promise<Response>;
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

let fields: Field[] = [];
const started: ChildProcess[] = [];
const onStart = (message: unknown) => started.push((message as { process: ChildProcess }).process);

/** What was started, with <staging> for a folder whose name the server made. */
function programs(): string[] {
  const staging = new RegExp(`^${RegExp.escape(fixture.directory)}/staging/[0-9a-f-]{36}$`);
  return [
    ...new Set(started.map((child) => child.spawnargs.map((each) => each.replace(staging, '<staging>')).join(' '))),
  ];
}

before(async () => {
  fields = await textFields(await makeThings(client));
  subscribe('child_process', onStart);
});
after(() => unsubscribe('child_process', onStart));

/** Every text of a path, a query and a body, as the description of the API names them. */
async function textFields(things: Things): Promise<Field[]> {
  const document = (await (await client.fetch('GET', '/openapi.json')).json()) as {
    paths: Record<
      string,
      Record<
        string,
        {
          parameters?: { name: string; in: string }[];
          requestBody?: { content: Record<string, { schema: Schema }> };
        }
      >
    >;
  };
  return routes.flatMap(({ declaration }) => {
    const { method, url } = declaration;
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const { line, body, headers } = rightRequest(declaration, things);
    const path = line.slice(method.length + 1);
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const type = { 'Content-Type': 'application/json', ...headers };
    const inUrl = (operation?.parameters ?? []).map(({ name, in: where }) => ({
      what: `${method} ${url} ${name}`,
      sendWith(text: string) {
        const encoded = encodeURIComponent(text.toWellFormed());
        const [plain = '', query = ''] = path.split('?');
        const target =
          where === 'path'
            ? `${url.replace(`:${name}`, encoded)}?${query}`
            : `${plain}?${[...query.split('&').filter((part) => !part.startsWith(`${name}=`)), `${name}=${encoded}`].join('&')}`;
        return client.fetch(method, target, body === undefined ? {} : { ...sent, headers: type });
      },
    }));
    const schema = operation?.requestBody?.content['application/json']?.schema;
    const inBody = Object.entries(schema?.properties ?? {}).map(([name, { type: kind, properties }]) => ({
      what: `${method} ${url} ${name}`,
      sendWith(text: string) {
        const nested = Object.keys(properties ?? {}).map((key) => [key, text]);
        const value =
          kind === 'array'
            ? [text]
            : kind === 'object'
              ? Object.fromEntries(nested.length ? nested : [[text, text]])
              : text;
        return client.fetch(method, path, {
          body: JSON.stringify({ ...(body as object), [name]: value }),
          headers: type,
        });
      },
    }));
    return [...inUrl, ...inBody];
  });
}

/** The answer is the envelope or bytes, has no text of it in its headers, and is no page. */
async function assertHarmless(answer: Response, what: string): Promise<void> {
  assert.ok(answer.status < 500, `${what}: ${answer.status}`);
  assert.equal(answer.headers.get('X-Injected'), null, what);
  assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff', what);
  assert.match(answer.headers.get('Content-Security-Policy') ?? '', /default-src 'none'/, what);
  assert.doesNotMatch(answer.headers.get('Content-Type') ?? '', /html|xml|javascript/, what);
  if (/event-stream/.test(answer.headers.get('Content-Type') ?? '')) return answer.body?.cancel();
  await answer.arrayBuffer();
}

/** Derive a password each, which takes long; a few texts are enough. */
const isSlow = (what: string) => /login|register|setup/.test(what);
/** Waits for a status for half a minute where its timeout is no number that is right. */
const isSkipped = (what: string, text: string) => what.endsWith('/wait status') && text === '';

describe('hostile texts', () => {
  test('of the list, in every field', { timeout: 240_000 }, async () => {
    assert.ok(fields.length > 100, `${fields.length} fields`);
    for (const { what, sendWith } of fields)
      for (const [n, text] of hostile.entries()) {
        if ((isSlow(what) && n > 2) || isSkipped(what, text)) continue;
        await assertHarmless(await sendWith(text), `${what} ${JSON.stringify(text.slice(0, 40))}`);
      }
    assert.deepEqual(programs(), ['sync -f <staging>']);
  });

  test('made up, in any field', { timeout: 120_000 }, async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(), texts, async (n, text) => {
        const fast = fields.filter(({ what }) => !isSlow(what) && !isSkipped(what, ''));
        const { what, sendWith } = fast[n % fast.length]!;
        await assertHarmless(await sendWith(text), `${what} ${JSON.stringify(text)}`);
      }),
      { numRuns: 150 },
    );
    assert.deepEqual(programs(), ['sync -f <staging>']);
  });

  test('in headers', async () => {
    for (const text of hostile.map((each) => each.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 9000)))
      for (const name of [
        'X-Request-Id',
        'Last-Event-ID',
        'Range',
        'If-Range',
        'If-Match',
        'Accept',
        'User-Agent',
        'X-Forwarded-For',
      ])
        await assertHarmless(await client.fetch('GET', '/auth/me', { headers: { [name]: text } }), `${name}: ${text}`);
  });

  test('and the server is as it was', async () => {
    assert.equal((await client.fetch('GET', '/health')).status, 200);
    for (const { id } of await client.bots()) assert.equal((await client.bot(id)).status, 'offline');
  });
});
