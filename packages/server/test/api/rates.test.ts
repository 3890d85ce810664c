// Rates: who may ask how often, what answers say of it, and whom others can't slow down.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword, goodBot, startFixture } from '../support/fixture.ts';
import { type Answer, assertRefused, botNotFound, type Refusal, send, sendBytes, unauthorized } from './request.ts';

const limited: Refusal = { status: 429, code: 'rate_limited', error: 'Rate limit exceeded' };
const limits = { BOTEL_RATE_USER: '20', BOTEL_RATE_LIFECYCLE: '3', BOTEL_RATE_SIGN_IN: '5', BOTEL_RATE_PUBLIC: '6' };
const fixture = await startFixture({ ...limits, BOTEL_REGISTRATION: 'open' });
after(() => fixture[Symbol.asyncDispose]());
const { guest, server, url } = fixture;

let addresses = 0;
/** Headers of a client behind a trusted proxy, from an address that nobody had before. */
const elsewhere = () => ({ 'X-Forwarded-For': `192.0.2.${++addresses}` });

/** Someone with an account of its own, so that its count is its own. */
async function someone(): Promise<BotelClient> {
  const email = `user-${++addresses}@example.com`;
  const { id } = await server.services.accounts.create(email, 'a long password', 'user');
  return new BotelClient(url, (await server.services.accounts.issueToken(id)).token);
}

function rateOf({ headers }: Pick<Answer, 'headers'>) {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`));
  for (const value of [limit, remaining, reset]) assert.match(value ?? 'missing', /^\d+$/);
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

function assertLimited(answer: Answer, what?: string): void {
  assertRefused(answer, limited, what);
  const seconds = Number(answer.headers.get('Retry-After'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  assert.equal(rateOf(answer).remaining, 0);
}

/** Calls until it is refused for its rate: buckets fill again while a slow machine sends. */
async function untilLimited(call: () => Promise<Answer>): Promise<Answer> {
  for (let n = 0; n < 200; n++) {
    const answer = await call();
    if (answer.status === 429) return answer;
  }
  throw new Error('Never refused');
}

async function repeat(times: number, call: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let n = 0; n < times; n++) answers.push(await call());
  return answers;
}

describe('of an account', () => {
  test('429 after as many requests as it may make; another account is not slowed', async () => {
    const [one, other] = [await someone(), await someone()];
    for (const [n, answer] of (await repeat(20, () => send(one, 'GET /auth/me'))).entries()) {
      assert.equal(answer.status, 200);
      const { limit, remaining, reset } = rateOf(answer);
      assert.ok(limit === 20 && remaining >= 19 - n && remaining < 20 && reset >= 1 && reset <= 60);
    }
    assertLimited(await untilLimited(() => send(one, 'GET /auth/me')));
    assert.equal((await send(other, 'GET /auth/me')).status, 200);
  });

  test('comes before input, permission and existence', async () => {
    const one = await someone();
    assertLimited(await untilLimited(() => send(one, 'POST /bots/create', '{')));
    assertLimited(await untilLimited(() => send(one, 'GET /bots/00000000-0000-4000-8000-000000000000')));
  });
});

describe('of a bot', () => {
  test('429 after as many lifecycle calls as it may have, of all kinds together; another bot has its own', async () => {
    const one = await someone();
    const [first, second] = [
      await one.createBot({ ...goodBot, memory: 128 }),
      await one.createBot({ ...goodBot, memory: 128 }),
    ];
    const verbs = ['start', 'kill', 'start', 'stop', 'restart', 'reinstall'];
    const answers: Answer[] = [];
    for (const verb of verbs) {
      answers.push(await send(one, `POST /bots/${verb}`, { bot_id: first.id.toUpperCase() }));
      await server.settle();
    }
    assert.equal(
      answers.slice(0, 3).some(({ status }) => status === 429),
      false,
    );
    for (const answer of answers.filter(({ status }) => status === 429)) assertLimited(answer);
    assertLimited(await untilLimited(() => send(one, 'POST /bots/kill', { bot_id: first.id })));
    assert.equal(rateOf(answers[0]!).limit, 3);
    assert.equal((await send(one, 'POST /bots/start', { bot_id: second.id })).status, 200);
  });

  test('a stranger uses up nothing of it', async () => {
    const [owner, stranger] = [await someone(), await someone()];
    const { id } = await owner.createBot({ ...goodBot, memory: 128 });
    assertRefused(await send(stranger, 'POST /bots/start', { bot_id: id }), botNotFound);
    assertLimited(await untilLimited(() => send(stranger, 'POST /bots/start', { bot_id: id })));
    assert.equal((await send(owner, 'POST /bots/start', { bot_id: id })).status, 200);
  });
});

describe('of an address', () => {
  const requests: [string, unknown?][] = [
    ['GET /health'],
    ['GET /apps/check/abc'],
    ['GET /apps/check/%E0%A4%A'],
    ['GET /nowhere'],
    ['GET /bots?q=%zz'],
    ['GET /bots'],
    ['POST /bots/create', '{'],
  ];
  for (const [line, body] of requests)
    test(`429 for ${line} after as many requests without a token as one may send; others are not slowed`, async () => {
      const [here, there] = [elsewhere(), elsewhere()];
      const first = await send(guest, line, body, here);
      assert.notEqual(first.status, 429);
      assert.equal(rateOf(first).limit, 6);
      assertLimited(await untilLimited(() => send(guest, line, body, here)));
      assert.notEqual((await send(guest, line, body, there)).status, 429);
    });

  test('who has a valid token is not slowed by others of the address', async () => {
    const [here, one] = [elsewhere(), await someone()];
    const wrong = new BotelClient(url, `sess_${'A'.repeat(43)}`);
    assertRefused(await send(wrong, 'GET /auth/me', undefined, here), unauthorized);
    assertLimited(await untilLimited(() => send(wrong, 'GET /auth/me', undefined, here)));
    assert.equal((await send(one, 'GET /auth/me', undefined, here)).status, 200);
  });

  test('the last address that a trusted proxy did not write itself counts; a text that is none counts as the proxy', async () => {
    const forwarded = (value: string) => send(guest, 'GET /health', undefined, { 'X-Forwarded-For': value });
    const real = `198.51.100.${++addresses}`;
    let n = 0;
    assertLimited(await untilLimited(() => forwarded(`203.0.113.${n++ % 256}, ${real}`)));
    assertLimited(await untilLimited(() => forwarded(`2001:db8:${addresses}:1::${n++}`)));
    assertLimited(await untilLimited(() => forwarded(`nonsense ${n++}`)));
  });

  test('headers also where the body is too large, and where it is no request', async () => {
    const { headers } = await sendBytes(url, 'NONSENSE\r\n\r\n');
    assert.equal(rateOf({ headers }).limit, 6);
    const large = await send(guest, 'POST /auth/login', 'x'.repeat(1_100_000), elsewhere());
    assert.equal(large.status, 413);
    assert.equal(rateOf(large).limit, 6);
  });

  test('without trusted proxies X-Forwarded-For is not believed', async () => {
    await using plain = await startFixture({ BOTEL_RATE_PUBLIC: '6', BOTEL_TRUST_PROXY: 'none' });
    assertLimited(await untilLimited(() => send(plain.guest, 'GET /health', undefined, elsewhere())));
  });
});

describe('of sign-ins', () => {
  const login = (email: string, password: string, from: Record<string, string>) =>
    send(guest, 'POST /auth/login', { email, password }, from);

  test('429 per address, for login, registration and set-up together', async () => {
    const here = elsewhere();
    const answers: Answer[] = [];
    for (let n = 0; n < 3; n++) {
      answers.push(await login(`nobody-${addresses}-${n}@example.com`, 'x', here));
      answers.push(await send(guest, 'POST /auth/register', { email: 'a@' }, here));
      answers.push(await send(guest, 'POST /setup', { token: 'x' }, here));
    }
    assert.equal(rateOf(answers[0]!).limit, 5);
    assert.equal(answers[0]?.status, 401);
    assertLimited(await untilLimited(() => send(guest, 'POST /setup', { token: 'x' }, here)));
  });

  test('429 per account over all addresses, whether the account exists or not', async () => {
    await server.services.accounts.create('guessed@example.com', 'a long password', 'user');
    for (const email of ['guessed@example.com', 'never-there@example.com']) {
      const answers: Answer[] = [];
      // All at once: derivations take longer than a bucket takes to fill.
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => login(email, 'wrong', elsewhere())))));
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length >= 5, `${email}: ${refused.length} refused`);
      assertRefused(refused[0]!, limited);
      assert.ok(answers.some(({ status }) => status === 401));
    }
  });

  test('strangers do not lock out an owner at an address where it is signed in', async () => {
    const home = elsewhere();
    assert.equal((await login(adminEmail, adminPassword, home)).status, 200);
    const guesses = await Promise.all(Array.from({ length: 20 }, () => login(adminEmail, 'wrong', elsewhere())));
    assert.ok(guesses.some(({ status }) => status === 429));
    assert.equal((await login(adminEmail, adminPassword, home)).status, 200);
  });
});
