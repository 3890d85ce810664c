// GET /apps/check/{name} (docs/specification.md, section 5): public, always 200, every reason to
// the letter.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import { assertRefused, notFound, send } from './request.ts';

const fixture = await startFixture({ BOTEL_APPS_DOMAIN: 'apps.example.com' });
after(() => fixture[Symbol.asyncDispose]());

const lengthReason = 'Must be between 3 and 32 characters.';
const characterReason = 'Only lowercase letters, numbers and hyphens. Cannot start or end with hyphen.';
const dayMs = 24 * 60 * 60 * 1000;

/** The availability of the name as it stands in the path, percent-encoded by the caller. */
async function check(path: string): Promise<unknown> {
  const answer = await send(fixture.guest, `GET /apps/check/${path}`);
  assert.equal(answer.status, 200, path);
  assert.deepEqual(Object.keys(answer.body), ['success', 'data'], path);
  assert.equal(answer.body.success, true);
  return answer.body.data;
}

async function assertReason(path: string, reason: string): Promise<void> {
  assert.deepEqual(await check(path), { available: false, reason }, path);
}

/** An app of that name, as POST /apps/create will make it; `freedDaysAgo` null = in use. */
async function insertApp(name: string, freedDaysAgo: number | null): Promise<void> {
  const { data } = await fixture.client.call<{ user: { id: string } }>('GET', '/auth/me');
  const freedAt = freedDaysAgo === null ? null : Date.now() - freedDaysAgo * dayMs;
  await inDatabase(fixture, (db) =>
    db
      .insertInto('apps')
      .values({
        id: crypto.randomUUID(),
        owner_id: data.user.id,
        bot_id: null,
        name,
        port: null,
        created_at: Date.now(),
        freed_at: freedAt,
      })
      .execute(),
  );
}

describe('200, available', () => {
  test('"name echoes the checked name and url is https://<name>.{apps_domain}", nothing else', async () => {
    for (const name of ['abc', 'my-app', '123', '0-0', 'a--b', 'a'.repeat(32), 'apis', 'admin2', 'xn-app'])
      assert.deepEqual(await check(name), { available: true, name, url: `https://${name}.apps.example.com` });
  });

  test('"Public: no authentication": with no token, a bad one and a good one; readable from pages of any origin', async () => {
    for (const token of [null, 'nonsense', fixture.token]) {
      const answer = await send(new BotelClient(fixture.url, token), 'GET /apps/check/my-app');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('Access-Control-Allow-Origin'), '*');
    }
  });

  test('the name is percent-decoded once; a query is not part of it', async () => {
    assert.deepEqual(await check('%6dy-app?x=1'), {
      available: true,
      name: 'my-app',
      url: 'https://my-app.apps.example.com',
    });
  });
});

describe('200, not available', () => {
  test('"Length: 3 to 32 characters", counted in characters, before all other rules', async () => {
    for (const name of [
      'a',
      'ab',
      'ns',
      '-',
      'A',
      '%C3%BC',
      '%F0%9F%98%80%F0%9F%98%80',
      'a'.repeat(33),
      'A'.repeat(33),
    ])
      await assertReason(name, lengthReason);
    for (const length of [100, 1000, 7000, 9000]) await assertReason('a'.repeat(length), lengthReason);
    await assertReason('', lengthReason);
  });

  test('"Only lowercase letters, numbers and hyphens. Cannot start or end with hyphen."', async () => {
    const names = [
      'Abc',
      'ABC',
      'API',
      'a_b',
      'a.b',
      '-abc',
      'abc-',
      '---',
      'a%20b',
      '%20abc',
      'abc%20',
      'abc%0A',
      'abc%00',
    ];
    for (const name of names) await assertReason(name, characterReason);
    const others = [
      'b%C3%B6t',
      '%EF%BD%81%EF%BD%82%EF%BD%83',
      '%D9%A1%D9%A2%D9%A3',
      '%F0%9F%98%80ab',
      'a+b',
      'a%2Bb',
      "a'b",
      'a;b',
    ];
    for (const name of others) await assertReason(name, characterReason);
  });

  test('an encoded slash, dot or percent sign is a character of the name', async () => {
    for (const name of ['a%2Fb', '%2Fabc', 'abc%2F', '..%2F..', 'a%3Fb', 'a%23b', 'a%5Cb', 'a%25b'])
      await assertReason(name, characterReason);
    // Decoded twice it would be "a2", which is too short.
    await assertReason('%25612', characterReason);
  });

  test('what can not be decoded is checked as it stands', async () => {
    for (const name of ['%E0%A4%A', '%zz', 'abc%', 'abc%f', '%ff%fe%fd', '%C3%28ab', '%E0%A4%A?x=1'])
      await assertReason(name, characterReason);
    await assertReason('%', lengthReason);
    await assertReason(`%E0%A4%A${'a'.repeat(40)}`, lengthReason);
    const answer = await send(fixture.guest, 'GET /apps/check/%E0%A4%A');
    assert.equal(answer.headers.get('X-API-Version'), '1');
    assert.ok(answer.headers.get('X-Request-Id'));
  });

  test('"<name>" is a reserved name', async () => {
    const names = [
      'api',
      'www',
      'admin',
      'dashboard',
      'app',
      'apps',
      'bot',
      'bots',
      'botel',
      'mail',
      'status',
      'localhost',
    ];
    for (const name of [...names, 'webhooks', 'xn--80ak6aa92e', 'xn--a'])
      await assertReason(name, `"${name}" is a reserved name`);
  });

  test('"<name>" is already taken', async () => {
    assert.deepEqual(await check('greeter'), {
      available: true,
      name: 'greeter',
      url: 'https://greeter.apps.example.com',
    });
    await insertApp('greeter', null);
    await assertReason('greeter', '"greeter" is already taken');
    await assertReason('%67reeter', '"greeter" is already taken');
    await assertReason('Greeter', characterReason);
  });

  test('a freed name counts as taken for 30 days', async () => {
    await insertApp('freed-lately', 29.9);
    await assertReason('freed-lately', '"freed-lately" is already taken');
    await insertApp('freed-long-ago', 30.1);
    assert.deepEqual(await check('freed-long-ago'), {
      available: true,
      name: 'freed-long-ago',
      url: 'https://freed-long-ago.apps.example.com',
    });
  });
});

describe('404', () => {
  test('another depth, another method', async () => {
    for (const line of [
      'GET /apps/check/a/b',
      'GET /apps/check/abc/',
      'POST /apps/check/abc',
      'DELETE /apps/check/abc',
    ])
      assertRefused(await send(fixture.guest, line), notFound, line);
  });
});
