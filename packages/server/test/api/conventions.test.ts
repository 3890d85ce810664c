// What every answer has in common: the envelope, the headers, and how requests are read that fit no
// endpoint.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { goodBot, startFixture } from '../support/fixture.ts';
import {
  assertRefused,
  invalidInput,
  invalidJson,
  invalidUrl,
  notFound,
  type Refusal,
  send,
  sendBytes,
  unauthorized,
} from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, guest } = fixture;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const tooLarge: Refusal = { status: 413, code: 'too_large', error: 'Body exceeds the 1 MB limit' };
const invalidContentType: Refusal = {
  status: 400,
  code: 'invalid_content_type',
  error: 'Content-Type must be application/json',
};
const absentId = '00000000-0000-4000-8000-000000000000';

/** One request for each way in which an answer comes about. */
const requests: [string, unknown?][] = [
  ['GET /health'],
  ['GET /bots'],
  ['GET /openapi.json'],
  ['GET /nowhere'],
  ['PATCH /bots/create'],
  ['GET /bots/%E0%A4%A'],
  ['GET /apps/check/%E0%A4%A'],
  ['GET /bots?q=%zz'],
  [`GET /bots/${absentId}`],
  ['POST /bots/create', '{'],
  ['POST /bots/create', { ...goodBot, padding: 'x'.repeat(1024 * 1024) }],
  ['POST /bots/create', { ...goodBot, memory: 1e9 }],
];

describe('headers', () => {
  test('X-Request-Id and X-API-Version are on every answer', async () => {
    for (const [line, body] of requests) {
      const answer = await send(client, line, body);
      assert.match(answer.headers.get('X-Request-Id') ?? '', uuid, line);
      assert.equal(answer.headers.get('X-API-Version'), '1', line);
    }
  });

  test("X-Request-Id is the client's where it is 1 to 64 of A-Z a-z 0-9 _ -", async () => {
    for (const given of ['a', 'job_17-retry', 'Z'.repeat(64)])
      for (const [line, body] of requests)
        assert.equal(
          (await send(client, line, body, { 'X-Request-Id': given })).headers.get('X-Request-Id'),
          given,
          line,
        );
    for (const given of ['', 'a b', 'a/b', 'ä', 'x'.repeat(65)])
      assert.match(
        (await send(client, 'GET /health', undefined, { 'X-Request-Id': given })).headers.get('X-Request-Id') ?? '',
        uuid,
      );
  });

  test('each request has an id of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(guest, 'GET /health')));
    assert.equal(new Set(answers.map((answer) => answer.headers.get('X-Request-Id'))).size, 20);
  });

  test('every JSON answer is application/json in UTF-8', async () => {
    for (const [line, body] of requests) {
      const type = (await send(client, line, body)).headers.get('Content-Type');
      if (line !== 'GET /openapi.json') assert.equal(type, 'application/json; charset=utf-8', line);
    }
  });

  test('only public GETs may be read by pages of other origins', async () => {
    for (const line of ['GET /health', 'GET /version', 'GET /apps/check/abc'])
      assert.equal((await send(guest, line)).headers.get('Access-Control-Allow-Origin'), '*', line);
    for (const line of ['GET /bots', 'GET /usage', `GET /bots/${absentId}`, 'POST /auth/login', 'GET /nowhere'])
      assert.equal((await send(client, line)).headers.get('Access-Control-Allow-Origin'), null, line);
  });
});

describe('the envelope', () => {
  test('"success (boolean), then data (object) and optionally message (string) on success"', async () => {
    const created = await send(client, 'POST /bots/create', goodBot);
    assert.deepEqual(Object.keys(created.body), ['success', 'data', 'message']);
    assert.deepEqual(Object.keys((await send(client, 'GET /bots')).body), ['success', 'data']);
    await client.deleteBot(String(created.body.data.id));
  });

  test('"or error (string) on failure", and nothing else', async () => {
    for (const [line, body] of requests) {
      const answer = await send(client, line, body);
      if (answer.status >= 400) assert.deepEqual(Object.keys(answer.body), ['success', 'error'], line);
    }
  });
});

describe('404', () => {
  test('an unknown path or method, with or without a token, whatever the body', async () => {
    const lines = [
      'GET /nowhere',
      'POST /bots',
      'GET /bots/create/x',
      'DELETE /bots',
      'PUT /bots/start',
      'OPTIONS /bots',
    ];
    for (const line of [
      ...lines,
      'GET /Bots',

      'GET //bots',
      'GET /health/',
      'GET /v1/bots',
      'GET /..%2fbots',
    ])
      for (const who of [client, guest]) assertRefused(await send(who, line), notFound, line);
    assertRefused(await send(client, 'POST /nowhere', '{'), notFound);
    assertRefused(await send(client, 'POST /nowhere', 'x', { 'Content-Type': 'text/plain' }), notFound);
  });
});

describe('400', () => {
  test('malformed JSON, no object, no body', async () => {
    for (const body of ['', '{', '[]', 'null', '"x"', '1', '{"name":}', '\u0000', '{}{}'])
      assertRefused(await send(client, 'POST /bots/start', body), invalidJson, body);
    assertRefused(await send(client, 'POST /bots/start'), invalidJson);
  });

  test('a body of another type than application/json, or of none', async () => {
    const body = JSON.stringify({ bot_id: absentId });
    const types = [
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ];
    for (const type of [...types, 'application/jsonp', 'application/json-patch+json', 'json', 'nonsense'])
      assertRefused(await send(client, 'POST /bots/start', body, { 'Content-Type': type }), invalidContentType, type);
    const bare = await client.fetch('POST', '/bots/start', { body: new TextEncoder().encode(body) });
    assert.deepEqual(await bare.json(), { success: false, error: invalidContentType.error });
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])
      assert.equal((await send(client, 'POST /bots/start', body, { 'Content-Type': type })).status, 404, type);
  });

  test('a URL that can not be decoded, in path or query, or is longer than 8,192 bytes', async () => {
    for (const line of [
      'GET /bots/%E0%A4%A',
      'GET /%',
      'POST /bots/%zz',
      'GET /bots?q=%E0%A4%A',
      'GET /bots?%ff',
      'GET /nowhere?x=%',
    ])
      assertRefused(await send(client, line), invalidUrl, line);
    assertRefused(await send(client, `GET /bots?q=${'x'.repeat(8192)}`), invalidUrl);
    assertRefused(await send(client, `GET /nowhere/${'x'.repeat(8192)}`), invalidUrl);
  });

  test('null is absent, unknown fields are ignored, nothing is coerced', async () => {
    const start = (body: object) => send(client, 'POST /bots/stop', body);
    assertRefused(await start({ bot_id: null }), invalidInput('bot_id', 'is required'));
    assert.equal((await start({ bot_id: absentId, grace_seconds: null, more: 1 })).status, 404);
    assertRefused(
      await start({ bot_id: absentId, grace_seconds: '5' }),
      invalidInput('grace_seconds', 'must be a number'),
    );
    assertRefused(
      await send(client, 'POST /bots/delete', { bot_id: absentId, force: 'true' }),
      invalidInput('force', 'must be true or false'),
    );
  });

  test('bytes that are no HTTP request, in the envelope too', async () => {
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
      `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const answer = await sendBytes(fixture.url, bytes);
      assert.equal(answer.status, 400);
      assert.deepEqual(JSON.parse(answer.text), { success: false, error: 'Invalid HTTP request' });
      assert.equal(answer.headers.get('X-Error-Code'), 'invalid_request');
      assert.match(answer.headers.get('X-Request-Id') ?? '', uuid);
      assert.equal(answer.headers.get('X-API-Version'), '1');
    }
    assert.equal((await send(guest, 'GET /health')).status, 200);
  });
});

describe('the order of checks', () => {
  test('413 before 401: a body over 1 MB is refused by its declared length, before a byte of it is read', async () => {
    const answer = await sendBytes(
      fixture.url,
      `POST /bots/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${1024 * 1024 + 1}\r\n\r\n`,
    );
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [413, { success: false, error: tooLarge.error }]);
  });

  test('413 for a body of unknown length, once it is over the limit', async () => {
    const body = new Blob([JSON.stringify({ ...goodBot, padding: 'x'.repeat(1024 * 1024) })]).stream();
    const init = { body, duplex: 'half', headers: { 'Content-Type': 'application/json' } } as RequestInit;
    const answer = await client.fetch('POST', '/bots/create', init);
    assert.equal(answer.status, 413);
    assert.deepEqual(await answer.json(), { success: false, error: tooLarge.error });
  });

  test('a body of exactly 1 MB is read', async () => {
    const filled = `${JSON.stringify({ bot_id: absentId })}`.padEnd(1024 * 1024);
    assert.equal((await send(client, 'POST /bots/start', filled)).status, 404);
    assertRefused(await send(client, 'POST /bots/start', `${filled} `), tooLarge);
  });

  test('401 before 400, 400 before 404', async () => {
    assertRefused(await send(guest, 'POST /bots/start', '{'), unauthorized);
    assertRefused(await send(guest, 'POST /bots/start', 'x', { 'Content-Type': 'text/plain' }), unauthorized);
    assertRefused(
      await send(client, 'POST /bots/stop', { bot_id: absentId, grace_seconds: -1 }),
      invalidInput('grace_seconds', 'must be a whole number between 0 and 300'),
    );
  });
});
