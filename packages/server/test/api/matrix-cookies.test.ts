// Every route × every caller with a cookie who is not allowed: another origin's page, no origin,
// another owner, an ended session. 401, 403 or 404 each, and nothing changes. A valid cookie works
// on every route.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { routes } from '../support/all-routes.ts';
import { startFixture } from '../support/fixture.ts';
import { makeThings, nothing } from './builders.ts';
import { assertRefused, type Refusal, send, unauthorized } from './request.ts';
import { rightRequest, type Things, thingsOf } from './valid-inputs.ts';
import { assertUnchanged } from './whole-state.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, guest, server, url } = fixture;
const { accounts } = server.services;

type Declaration = (typeof routes)[number]['declaration'];
const guarded: Declaration[] = routes.filter(({ declaration }) => declaration.scope).map((each) => each.declaration);
const writing = guarded.filter(({ method }) => method !== 'GET');
const reading = guarded.filter(({ method }) => method === 'GET');
const naming = guarded.filter((declaration) => thingsOf(declaration).length > 0);

let mine = nothing;
const userIds = { admin: '', stranger: '' };

before(async () => {
  mine = await makeThings(client);
  for (const [who, caller] of [
    ['admin', client],
    ['stranger', stranger],
  ] as const)
    userIds[who] = (await caller.call<{ user: { id: string } }>('GET', '/auth/me')).data.user.id;
  await server.settle();
});

/** The cookie of a new session of an account. */
async function cookieOf(who: keyof typeof userIds): Promise<{ Cookie: string }> {
  return { Cookie: `botel_session=${(await accounts.issueToken(userIds[who])).token}` };
}

interface Page {
  headers: Record<string, string>;
  ids?: Things;
}

/** Sends what is right in every field as a page that holds a cookie would. */
function sendAs({ headers, ids = mine }: Page, declaration: Declaration) {
  const { line, body, headers: own } = rightRequest(declaration, ids);
  return send(guest, line, body, { ...own, ...headers });
}

const originNotAllowed: Refusal = { status: 403, code: 'origin_not_allowed', error: 'Origin not allowed' };

describe('a cookie of the owner is of no use, on any route', () => {
  for (const [from, headers] of Object.entries<Record<string, string>>({
    'without an Origin': {},
    'from an opaque origin': { Origin: 'null' },
    'from another site': { Origin: 'http://evil.example.com' },
    'from another port of this machine': { Origin: 'http://127.0.0.1:1' },
    'from an app below this host': { Origin: url.replace('127.0.0.1', 'app.127.0.0.1') },
    'with a Referer of its own instead of an Origin': { Referer: `${url}/dashboard/` },
  }))
    test(`to write ${from}`, async () => {
      const cookie = await cookieOf('admin');
      await assertUnchanged(fixture, async () => {
        assert.ok(writing.length >= 40, `${writing.length} routes write`);
        for (const declaration of writing) {
          const page = { headers: { ...cookie, ...headers } };
          assertRefused(await sendAs(page, declaration), originNotAllowed, `${declaration.method} ${declaration.url}`);
        }
      });
    });

  test('a page of another origin reads nothing either', async () => {
    const headers = { ...(await cookieOf('admin')), Origin: 'http://evil.example.com' };
    await assertUnchanged(fixture, async () => {
      for (const declaration of reading) {
        const { line } = rightRequest(declaration, mine);
        const answer = await sendAs({ headers }, declaration);
        assertRefused(answer, originNotAllowed, line);
        assert.equal(answer.headers.get('Access-Control-Allow-Origin'), null, line);
        const path = line.slice('GET '.length);
        assert.equal((await guest.fetch('HEAD', path, { headers })).status, 403, `HEAD ${path}`);
      }
    });
  });

  test('and is told of no route what it may send', async () => {
    for (const declaration of guarded) {
      const path = rightRequest(declaration, mine).line.split(' ')[1] ?? '';
      const headers = { Origin: 'http://evil.example.com', 'Access-Control-Request-Method': declaration.method };
      const { status, headers: told } = await send(guest, `OPTIONS ${path}`, undefined, headers);
      assert.ok(status >= 400, `OPTIONS ${path}: ${status}`);
      assert.deepEqual(
        [...told.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  });
});

test('a cookie from its own page passes on every route: only the ids decide', async () => {
  for (const declaration of guarded) {
    const headers = { ...(await cookieOf('admin')), Origin: url };
    const { line, body, headers: own } = rightRequest(declaration, nothing);
    const init = typeof body === 'string' ? body : body && JSON.stringify(body);
    const answer = await guest.fetch(line.split(' ')[0]!, line.split(' ')[1]!, {
      headers: { ...(init && { 'Content-Type': 'application/json' }), ...own, ...headers },
      body: init ?? null,
    });
    await answer.body?.cancel();
    const what = `${line}: ${answer.status} ${answer.headers.get('X-Error-Code')}`;
    assert.notEqual(answer.headers.get('X-Error-Code'), 'unauthorized', what);
    assert.notEqual(answer.headers.get('X-Error-Code'), 'origin_not_allowed', what);
    if (thingsOf(declaration).length > 0) assert.equal(answer.status, 404, what);
  }
});

describe('a cookie of another owner, from its own page', () => {
  test('finds nothing that is not its own, and changes nothing', async () => {
    const headers = { ...(await cookieOf('stranger')), Origin: url };
    await assertUnchanged(fixture, async () => {
      for (const declaration of naming) {
        const what = `${declaration.method} ${declaration.url}`;
        const [thing] = thingsOf(declaration);
        const foreign = await sendAs({ headers }, declaration);
        assert.deepEqual([foreign.status, foreign.headers.get('X-Error-Code')], [404, `${thing}_not_found`], what);
        assert.deepEqual((await sendAs({ headers, ids: nothing }, declaration)).body, foreign.body, what);
      }
    });
  });

  test('may nothing that is for admins', async () => {
    const headers = { ...(await cookieOf('stranger')), Origin: url };
    await assertUnchanged(fixture, async () => {
      for (const declaration of guarded.filter(({ scope }) => scope === 'admin')) {
        const refusal: Refusal = { status: 403, code: 'missing_permission', error: 'Missing permission: admin' };
        assertRefused(await sendAs({ headers }, declaration), refusal, `${declaration.method} ${declaration.url}`);
      }
    });
  });
});

describe('a cookie that is worth nothing is refused on every route, and nothing is changed', () => {
  const worthless: Record<string, () => Promise<{ Cookie: string }>> = {
    'its session was ended elsewhere': async () => {
      const cookie = await cookieOf('admin');
      const headers = { ...cookie, Origin: url };
      const { data } = (await send(guest, 'GET /auth/sessions', undefined, headers)).body;
      const { id } = (data.sessions as { id: string; current: boolean }[]).find(({ current }) => current)!;
      await client.call('POST', '/auth/sessions/revoke', { session_id: id });
      return cookie;
    },
    'its session was ended by itself': async () => {
      const cookie = await cookieOf('admin');
      await send(guest, 'POST /auth/logout', {}, { ...cookie, Origin: url });
      return cookie;
    },
    'it never was': async () => ({ Cookie: `botel_session=sess_${'A'.repeat(43)}` }),
    'it has another name': async () => ({ Cookie: (await cookieOf('admin')).Cookie.replace('botel_', 'other_') }),
    'it is empty': async () => ({ Cookie: 'botel_session=' }),
  };
  for (const [why, make] of Object.entries(worthless))
    test(why, async () => {
      const headers = { ...(await make()), Origin: url };
      await assertUnchanged(fixture, async () => {
        for (const declaration of guarded)
          assertRefused(
            await sendAs({ headers }, declaration),
            unauthorized,
            `${declaration.method} ${declaration.url}`,
          );
      });
    });
});
