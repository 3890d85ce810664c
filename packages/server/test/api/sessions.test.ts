// Sessions of one's own: the list, ending one or all others, and a new password.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SessionListData } from '@botel/contract/accounts';
import { BotelClient } from '@botel/contract/client';
import { startFixture } from '../support/fixture.ts';
import { absent } from './builders.ts';
import { assertRefused, invalidInput, send, unauthorized } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const password = 'a password of mine';

/** An account with `count` sessions. */
async function someone(email: string, count: number): Promise<BotelClient[]> {
  await fixture.server.services.accounts.create(email, password, 'user');
  const clients: BotelClient[] = [];
  for (let made = 0; made < count; made++) {
    const client = new BotelClient(fixture.url);
    await client.login(email, password);
    clients.push(client);
  }
  return clients;
}

const list = async (client: BotelClient) => (await client.call<SessionListData>('GET', '/auth/sessions')).data;
const isIn = async (client: BotelClient) => (await send(client, 'GET /auth/me')).status === 200;

test('the list has those of the caller, without their tokens; one of them is current', async () => {
  const [first] = (await someone('list@example.com', 3)) as [BotelClient];
  const { sessions, count, next_cursor: cursor } = await list(first);
  assert.deepEqual([sessions.length, count, cursor], [3, 3, null]);
  assert.equal(sessions.filter(({ current }) => current).length, 1);
  for (const each of sessions)
    assert.deepEqual(Object.keys(each), ['id', 'current', 'ip', 'user_agent', 'created_at', 'last_used_at']);
  assert.equal(sessions[0]?.ip, '127.0.0.1');
});

test('one is ended at once, or all others', async () => {
  const [own, second, third] = (await someone('revoke@example.com', 3)) as [BotelClient, BotelClient, BotelClient];
  const { sessions } = await list(second);
  const id = sessions.find(({ current }) => current)?.id;
  await own.call('POST', '/auth/sessions/revoke', { session_id: id });
  assert.deepEqual([await isIn(own), await isIn(second), await isIn(third)], [true, false, true]);
  await own.call('POST', '/auth/sessions/revoke', { all: true });
  assert.deepEqual([await isIn(own), await isIn(third)], [true, false]);
  assert.equal((await list(own)).count, 1);
});

test('what names no session is refused', async () => {
  const [own] = (await someone('faults@example.com', 1)) as [BotelClient];
  const refused = { status: 404, code: 'session_not_found', error: 'Session not found' } as const;
  assertRefused(await send(own, 'POST /auth/sessions/revoke', { session_id: absent }), refused);
  for (const body of [{}, { all: false }])
    assertRefused(await send(own, 'POST /auth/sessions/revoke', body), invalidInput('session_id', 'is required'));
});

test('a new password needs the old one, ends the other sessions, and is the only one that signs in', async () => {
  const [own, other] = (await someone('password@example.com', 2)) as [BotelClient, BotelClient];
  const change = (current: string, next: string) =>
    send(own, 'POST /auth/password', { current_password: current, new_password: next });
  assertRefused(await change('not the password', 'another password'), {
    status: 401,
    code: 'invalid_credentials',
    error: 'Invalid email or password',
  });
  assertRefused(await change(password, 'short'), invalidInput('new_password', 'must be between 12 and 200 characters'));
  assert.equal(await isIn(other), true);
  assert.equal((await change(password, 'another password')).status, 200);
  assert.deepEqual([await isIn(own), await isIn(other)], [true, false]);
  assertRefused(await send(other, 'GET /bots'), unauthorized);
  const again = new BotelClient(fixture.url);
  await assert.rejects(again.login('password@example.com', password), { code: 'invalid_credentials' });
  await again.login('password@example.com', 'another password');
});

test('the old password is not to be guessed: tries count as sign-ins', async () => {
  await using slow = await startFixture({ BOTEL_RATE_SIGN_IN: '3' });
  const body = { current_password: 'a guess', new_password: 'another password' };
  const statuses: number[] = [];
  for (let tries = 0; tries < 5; tries++) statuses.push((await send(slow.client, 'POST /auth/password', body)).status);
  assert.equal(statuses.at(-1), 429);
});
