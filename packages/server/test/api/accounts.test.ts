// Accounts: first set-up, registration, login, logout, the caller and its usage.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { after, describe, test } from 'node:test';
import type { LoginData, UsageData, UserData } from '@botel/contract/accounts';
import { BotelClient } from '@botel/contract/client';
import type { Role } from '@botel/contract/vocabulary';
import { sha256 } from '../../src/core/lib/ids.ts';
import { adminEmail, adminPassword, goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import {
  type Answer,
  assertRefused,
  invalidInput,
  invalidJson,
  notFound,
  type Refusal,
  send,
  unauthorized,
} from './request.ts';

const fixture = await startFixture({ BOTEL_REGISTRATION: 'open' });
after(() => fixture[Symbol.asyncDispose]());
const closed = await startFixture();
after(() => closed[Symbol.asyncDispose]());
const { client, guest } = fixture;

const token = /^sess_[A-Za-z0-9_-]{43}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const dayMs = 24 * 60 * 60 * 1000;
const invalidCredentials: Refusal = { status: 401, code: 'invalid_credentials', error: 'Invalid email or password' };

function login(email: unknown, password: unknown): Promise<Answer<LoginData>> {
  return send(guest, 'POST /auth/login', { email, password });
}

/** The answer is a login as `email`; its token works. */
async function assertLogin(answer: Answer<LoginData>, email: string, role: Role): Promise<void> {
  const { data } = answer.body;
  assert.match(data.token, token);
  assert.deepEqual(answer.body, {
    success: true,
    data: {
      token: data.token,
      expires_at: data.expires_at,
      user: {
        id: data.user.id,
        email,
        role,
        plan: { id: 'default', name: 'Default' },
        two_factor: false,
        created_at: data.user.created_at,
      },
    },
  });
  assert.match(data.user.created_at, time);
  const days = (Date.parse(data.expires_at) - Date.now()) / dayMs;
  assert.ok(days > 29 && days <= 30, `expires in ${days} days`);
  const me = await send<{ user: UserData }>(new BotelClient(fixture.url, data.token), 'GET /auth/me');
  assert.deepEqual(me.body.data.user, data.user);
}

describe('POST /auth/login', () => {
  test('200: a session token, 256 bits; each login has its own', async () => {
    const first = await login(adminEmail, adminPassword);
    assert.equal(first.status, 200);
    await assertLogin(first, adminEmail, 'admin');
    assert.notEqual((await login(adminEmail, adminPassword)).body.data.token, first.body.data.token);
  });

  test('200: the email in any case', async () => {
    await assertLogin(await login(adminEmail.toUpperCase(), adminPassword), adminEmail, 'admin');
  });

  test('the token is stored as its SHA-256 only', async () => {
    const { data } = (await login(adminEmail, adminPassword)).body;
    const hashes = await inDatabase(fixture, (db) => db.selectFrom('sessions').select('token_hash').execute());
    assert.ok(hashes.some((row) => row.token_hash === sha256(data.token)));
    assert.doesNotMatch(JSON.stringify(hashes), new RegExp(data.token));
  });

  test('400: email and password are texts', async () => {
    assertRefused(await login(undefined, adminPassword), invalidInput('email', 'is required'));
    assertRefused(await login(adminEmail, undefined), invalidInput('password', 'is required'));
    assertRefused(await login(5, adminPassword), invalidInput('email', 'must be a string'));
    assertRefused(await login(adminEmail, ['x']), invalidInput('password', 'must be a string'));
    assertRefused(await login('', adminPassword), invalidInput('email', 'must be between 1 and 254 characters'));
    assertRefused(
      await login(adminEmail, 'x'.repeat(1001)),
      invalidInput('password', 'must be between 1 and 1000 characters'),
    );
    for (const body of ['', '{', '[]']) assertRefused(await send(guest, 'POST /auth/login', body), invalidJson);
  });

  test('401: one answer for a wrong password, an unknown email and a text that is no email', async () => {
    for (const password of ['x', `${adminPassword} `, adminPassword.toUpperCase(), 'a stranger to them'])
      assertRefused(await login(adminEmail, password), invalidCredentials);
    assertRefused(await login('nobody@example.com', adminPassword), invalidCredentials);
    assertRefused(await login("' or 1=1 --", adminPassword), invalidCredentials);
  });

  test('403 for a suspended account, but only with the right password; its tokens are no longer valid', async () => {
    const { data } = (await register('suspended@example.com')).body;
    await inDatabase(fixture, (db) =>
      db.updateTable('users').set({ suspended: 1 }).where('id', '=', data.user.id).execute(),
    );
    assertRefused(await login('suspended@example.com', password), {
      status: 403,
      code: 'account_suspended',
      error: 'Account is suspended',
    });
    assertRefused(await login('suspended@example.com', 'another password'), invalidCredentials);
    // The token was not used before, so that nothing remembers it.
    assertRefused(await send(new BotelClient(fixture.url, data.token), 'GET /auth/me'), unauthorized);
  });
});

const password = 'a long password';

function register(email: unknown, secret: unknown = password, on = fixture): Promise<Answer<LoginData>> {
  return send(on.guest, 'POST /auth/register', { email, password: secret });
}

describe('POST /auth/register', () => {
  test('201: a login as a user with the default plan; the email in lower case', async () => {
    const answer = await register('New.User@Example.com');
    assert.equal(answer.status, 201);
    await assertLogin(answer, 'new.user@example.com', 'user');
    await assertLogin(await login('new.user@example.com', password), 'new.user@example.com', 'user');
  });

  test('201: a role in the body is ignored', async () => {
    const answer = await send<LoginData>(guest, 'POST /auth/register', {
      email: 'sly@example.com',
      password,
      role: 'admin',
    });
    await assertLogin(answer, 'sly@example.com', 'user');
  });

  test('400: email and password follow the rules', async () => {
    assertRefused(await register(undefined), invalidInput('email', 'is required'));
    assertRefused(await register('a@'), invalidInput('email', 'must be between 3 and 254 characters'));
    assertRefused(
      await register(`${'a'.repeat(250)}@b.de`),
      invalidInput('email', 'must be between 3 and 254 characters'),
    );
    const controls = ['\x1b[2J@b.c', 'a\0@b.c', 'a@b\x9b.c', 'a\u202e@b.c', 'a\u200b@b.c', 'a@b\x7f.c'];
    for (const email of ['abc', 'a b@example.com', '@example.com', 'a@b@c', 'a@example.com\n', ...controls])
      assertRefused(await register(email), invalidInput('email', 'is not valid'), JSON.stringify(email));
    for (const secret of ['', 'x'.repeat(11), 'x'.repeat(201)])
      assertRefused(
        await register('x@example.com', secret),
        invalidInput('password', 'must be between 12 and 200 characters'),
      );
    assertRefused(await register('x@example.com', 123456789012), invalidInput('password', 'must be a string'));
    assertRefused(await login('x@example.com', '123456789012'), invalidCredentials);
  });

  test('403: closed, which is the default; nobody is added', async () => {
    const answer = await register('late@example.com', password, closed);
    assertRefused(answer, { status: 403, code: 'registration_closed', error: 'Registration is closed' });
    const users = await inDatabase(closed, (db) => db.selectFrom('users').select('email').execute());
    assert.equal(users.length, 2);
  });

  test('403: the plans of all accounts promise as much of the machine as its operator allows', async () => {
    // Of the admin, the stranger and one more.
    const memoryMb = Math.floor(totalmem() / 1024 / 1024 / 3.5);
    await using full = await startFixture({
      BOTEL_REGISTRATION: 'open',
      BOTEL_REGISTRATION_MEMORY_PERCENT: '100',
      BOTEL_DEFAULT_PLAN_MEMORY_MB: String(memoryMb),
    });
    const emails = ['a@example.com', 'b@example.com', 'c@example.com'];
    const answers = await Promise.all(emails.map((email) => register(email, password, full)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 403, 403]);
    const refused = answers.filter(({ status }) => status === 403);
    for (const answer of refused)
      assertRefused(answer, { status: 403, code: 'registration_closed', error: 'Registration is closed' });
    const users = await inDatabase(full, (db) => db.selectFrom('users').select('email').execute());
    assert.equal(users.length, 3);
  });

  test('409: Email is already registered, in any case; also when several come at once', async () => {
    const taken: Refusal = { status: 409, code: 'already_exists', error: 'Email is already registered' };
    assertRefused(await register(adminEmail.toUpperCase()), taken);
    const answers = await Promise.all(Array.from({ length: 4 }, () => register('twin@example.com')));
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, taken);
  });
});

describe('POST /setup', () => {
  test('404 for ever once an account exists, with any token', async () => {
    assert.equal(await fixture.server.services.accounts.makeSetupToken(), null);
    const body = { token: 'x', email: 'second@example.com', password };
    assertRefused(await send(guest, 'POST /setup', body), notFound);
  });

  test('201: the first admin, with the newest token only; then 404', async () => {
    await using fresh = await startEmpty();
    const { accounts } = fresh.server.services;
    const old = await accounts.makeSetupToken();
    const valid = await accounts.makeSetupToken();
    const setup = (secret: unknown, email = 'first@example.com') =>
      send<LoginData>(fresh.guest, 'POST /setup', { token: secret, email, password });
    const invalid: Refusal = { status: 403, code: 'invite_invalid', error: 'Invite is invalid or expired' };
    for (const secret of ['x', old, `${valid} `]) assertRefused(await setup(secret), invalid);
    assertRefused(await setup(undefined), invalidInput('token', 'is required'));
    const answers = await Promise.all([setup(valid), setup(valid, 'other@example.com')]);
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    const first = answers.find((answer) => answer.status === 201);
    assert.ok(first);
    assert.equal(first.body.data.user.role, 'admin');
    assert.match(first.body.data.token, token);
    assertRefused(await setup(valid, 'third@example.com'), notFound);
  });
});

/** A server without accounts, as after its first start. */
async function startEmpty() {
  const empty = await startFixture();
  await inDatabase(empty, async (db) => {
    await db.deleteFrom('sessions').execute();
    await db.deleteFrom('users').execute();
  });
  return empty;
}

describe('POST /auth/logout', () => {
  test('200: the token is refused from now on, the other sessions of the user are not', async () => {
    const one = new BotelClient(fixture.url);
    const other = new BotelClient(fixture.url);
    await one.login(adminEmail, adminPassword);
    await other.login(adminEmail, adminPassword);
    await one.usage();
    const answer = await send(one, 'POST /auth/logout');
    assert.deepEqual([answer.status, answer.body], [200, { success: true, data: {} }]);
    assertRefused(await send(one, 'GET /auth/me'), unauthorized);
    assertRefused(await send(one, 'POST /auth/logout'), unauthorized);
    assert.equal((await send(other, 'GET /auth/me')).status, 200);
  });
});

describe('tokens', () => {
  test('one that has run out is refused', async () => {
    const { data } = (await login(adminEmail, adminPassword)).body;
    await inDatabase(fixture, (db) =>
      db
        .updateTable('sessions')
        .set({ expires_at: Date.now() - 1 })
        .where('token_hash', '=', sha256(data.token))
        .execute(),
    );
    assertRefused(await send(new BotelClient(fixture.url, data.token), 'GET /auth/me'), unauthorized);
  });
});

describe('GET /auth/me', () => {
  test('200: the user and the scopes of the session; `admin` for admins only', async () => {
    const me = await send<{ user: UserData; scopes: string[] }>(client, 'GET /auth/me');
    assert.deepEqual(Object.keys(me.body.data), ['user', 'scopes']);
    assert.deepEqual([me.body.data.user.email, me.body.data.user.role], [adminEmail, 'admin']);
    assert.ok(me.body.data.scopes.includes('bot.create') && me.body.data.scopes.includes('admin'));
    const theirs = await send<{ scopes: string[] }>(fixture.stranger, 'GET /auth/me');
    assert.ok(theirs.body.data.scopes.includes('bot.create') && !theirs.body.data.scopes.includes('admin'));
    assert.doesNotMatch(JSON.stringify(me.body), /argon2|password/);
  });
});

describe('GET /usage', () => {
  test('200: what the plan allows and what is used', async () => {
    const usage = async () => (await send<UsageData>(client, 'GET /usage')).body;
    const none = {
      memory: { limit_mb: 4096, used_mb: 0, available_mb: 4096 },
      bots: { limit: 10, used: 0 },
      disk: { limit_mb: 102_400, used_mb: 0 },
      backups: { limit_mb: 102_400, used_mb: 0 },
      apps: { limit: 10, used: 0 },
      upload_limit_mb: 100,
    };
    assert.deepEqual(await usage(), { success: true, data: none });
    const { id } = await client.createBot({ ...goodBot, memory: 512 });
    await client.writeFile(id, 'data.bin', new Uint8Array(3 * 1024 * 1024));
    const { data } = await usage();
    assert.deepEqual(data.memory, { limit_mb: 4096, used_mb: 512, available_mb: 3584 });
    assert.deepEqual(data.bots, { limit: 10, used: 1 });
    assert.ok(data.disk.used_mb >= 3 && data.disk.used_mb <= 4);
    await client.deleteBot(id);
    assert.deepEqual(await usage(), { success: true, data: none });
  });
});
