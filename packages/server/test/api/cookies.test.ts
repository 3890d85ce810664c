// Sessions as cookies of a browser: given at sign-in, read by every route, and no use to pages of
// other origins. Of every route: matrix-cookies.test.ts.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword, goodBot, startFixture } from '../support/fixture.ts';
import { type Answer, assertRefused, type Refusal, send, unauthorized } from './request.ts';

const fixture = await startFixture({ BOTEL_PUBLIC_URL: 'https://botel.example.com' });
after(() => fixture[Symbol.asyncDispose]());
const { guest, url, server } = fixture;

const originNotAllowed: Refusal = { status: 403, code: 'origin_not_allowed', error: 'Origin not allowed' };

function signIn(origin: string | null, cookie = true): Promise<Answer> {
  const headers: Record<string, string> = origin === null ? {} : { Origin: origin };
  return send(guest, 'POST /auth/login', { email: adminEmail, password: adminPassword, cookie }, headers);
}

/** `name=value` of the cookie that an answer gives. */
function cookieOf({ headers }: Answer): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function session(): Promise<string> {
  return cookieOf(await signIn(url));
}

describe('sign-in with a cookie', () => {
  test('gives it to the browser alone, and no token in the body', async () => {
    const answer = await signIn(url);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body.data).toSorted(), ['expires_at', 'user']);
    const [header = ''] = answer.headers.getSetCookie();
    assert.match(header, /^botel_session=sess_[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/);
    assert.equal((await send(guest, 'GET /auth/me', undefined, { Cookie: cookieOf(answer) })).status, 200);
  });

  test('by https gives one that no other host can plant', async () => {
    const [header = ''] = (await signIn('https://botel.example.com')).headers.getSetCookie();
    assert.match(header, /^__Host-botel_session=sess_[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/);
    assert.equal((await send(guest, 'GET /auth/me', undefined, { Cookie: header.split(';')[0] ?? '' })).status, 200);
  });

  test('is refused to pages of other origins, with the right password too', async () => {
    for (const origin of [
      null,
      'null',
      'http://evil.example.com',
      `${url}.evil.example.com`,
      'https://botel.example.com:8443',
    ])
      assertRefused(await signIn(origin), originNotAllowed, `${origin}`);
  });

  test('without asking for one gives a token and no cookie', async () => {
    const answer = await signIn(null, false);
    assert.equal(answer.headers.getSetCookie().length, 0);
    assert.match(String(answer.body.data.token), /^sess_/);
  });
});

describe('a cookie', () => {
  test('reads without an origin, and writes with its own only', async () => {
    const Cookie = await session();
    assert.equal((await send(guest, 'GET /bots', undefined, { Cookie })).status, 200);
    const make = (headers: object) => send(guest, 'POST /bots/create', goodBot, { Cookie, ...headers });
    assertRefused(await make({}), originNotAllowed);
    assertRefused(await make({ Origin: 'http://evil.example.com' }), originNotAllowed);
    assert.equal((await make({ Origin: url })).status, 201);
    assert.equal((await make({ Origin: 'https://botel.example.com' })).status, 201);
  });

  test('yields to a header, right or wrong', async () => {
    const Cookie = await session();
    assertRefused(await send(guest, 'GET /bots', undefined, { Cookie, Authorization: 'Bearer no' }), unauthorized);
    const Authorization = `Bearer ${fixture.token}`;
    const body = { ...goodBot, name: 'by-header' };
    assert.equal((await send(guest, 'POST /bots/create', body, { Cookie, Authorization })).status, 201);
  });

  test('that was set without https does not count under https', async () => {
    const plain = await session();
    const headers = { Cookie: plain, Host: 'botel.example.com' };
    const { request } = await import('node:http');
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    request(`${url}/auth/me`, { headers }, (answer) => resolve(answer.resume().statusCode)).end();
    assert.equal(await promise, 401);
  });

  test('ends with logout, and so does the stream that it opened', async () => {
    const Cookie = await session();
    const stream = await guest.fetch('GET', '/events/stream', { headers: { Cookie } });
    const out = await send(guest, 'POST /auth/logout', {}, { Cookie, Origin: url });
    assert.match(out.headers.getSetCookie()[0] ?? '', /^botel_session=; Path=\/; Max-Age=0;/);
    assert.match(await stream.text(), /event: end\ndata: {"reason":"unauthorized"}/);
    assertRefused(await send(guest, 'GET /auth/me', undefined, { Cookie }), unauthorized);
  });
});

describe('a link that signs in once', () => {
  const invalid: Refusal = { status: 403, code: 'invite_invalid', error: 'Invite is invalid or expired' };

  test('works once, for its account', async () => {
    const { id } = await server.services.accounts.create('once@example.com', 'a long password', 'user');
    const token = server.services.accounts.makeOneTimeToken(id);
    assertRefused(await send(guest, 'POST /auth/one-time', { token, cookie: true }), originNotAllowed);
    const answer = await send(guest, 'POST /auth/one-time', { token, cookie: true }, { Origin: url });
    const me = await send<{ user: { email: string } }>(guest, 'GET /auth/me', undefined, { Cookie: cookieOf(answer) });
    assert.equal(me.body.data.user.email, 'once@example.com');
    assertRefused(await send(guest, 'POST /auth/one-time', { token }), invalid);
  });

  test('is refused when it never was', async () => {
    assertRefused(await send(new BotelClient(url), 'POST /auth/one-time', { token: 'x' }), invalid);
  });
});

test('a plain one does not count when a trusted proxy received the request by https, whatever Botel knows of its URL', async () => {
  await using unknown = await startFixture();
  const { headers } = await send(
    unknown.guest,
    'POST /auth/login',
    { email: adminEmail, password: adminPassword, cookie: true },
    { Origin: unknown.url },
  );
  const Cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const me = (more: object) => send(unknown.guest, 'GET /auth/me', undefined, { Cookie, ...more });
  assert.equal((await me({})).status, 200);
  assert.equal((await me({ 'X-Forwarded-Proto': 'http' })).status, 200);
  assertRefused(await me({ 'X-Forwarded-Proto': 'https' }), unauthorized);
  await using direct = await startFixture({ BOTEL_TRUST_PROXY: 'none' });
  const other = await send(
    direct.guest,
    'POST /auth/login',
    { email: adminEmail, password: adminPassword, cookie: true },
    { Origin: direct.url },
  );
  const own = { Cookie: other.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'X-Forwarded-Proto': 'https' };
  assert.equal((await send(direct.guest, 'GET /auth/me', undefined, own)).status, 200);
});
