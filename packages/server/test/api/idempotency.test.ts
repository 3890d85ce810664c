// The header Idempotency-Key: a request that is sent again gets the first answer and does nothing.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { z } from 'zod';
import { isReplayed } from '../../src/core/http/replay-answers.ts';
import { routes } from '../support/all-routes.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import { assertRefused, invalidInput, type Refusal, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

const running: Refusal = {
  status: 409,
  code: 'idempotency_running',
  error: 'A request with this Idempotency-Key is still running',
};
const reused: Refusal = {
  status: 409,
  code: 'idempotency_reused',
  error: 'Idempotency-Key was already used for another request',
};

const withKey = (key: string) => ({ 'Idempotency-Key': key });
const botCount = async () => (await send<{ count: number }>(client, 'GET /bots')).body.data.count;
const create = (key: string, bot: object = goodBot, by = client) =>
  send<{ id: string }>(by, 'POST /bots/create', bot, withKey(key));

describe('the same request', () => {
  test('gets the same answer, marked, and makes nothing', async () => {
    const key = randomUUID();
    const first = await create(key);
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('Idempotency-Replayed'), null);
    const before = await botCount();
    const second = await create(key);
    assert.equal(second.status, 201);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('Idempotency-Replayed'), 'true');
    assert.equal(second.headers.get('Content-Type'), first.headers.get('Content-Type'));
    assert.notEqual(second.headers.get('X-Request-Id'), first.headers.get('X-Request-Id'));
    assert.equal(await botCount(), before);
  });

  test('gets the same refusal, with its code', async () => {
    const key = randomUUID();
    const refusal: Refusal = { status: 404, code: 'bot_not_found', error: 'Bot not found' };
    const body = { bot_id: randomUUID() };
    assertRefused(await send(client, 'POST /bots/start', body, withKey(key)), refusal);
    const again = await send(client, 'POST /bots/start', body, withKey(key));
    assertRefused(again, refusal);
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
  });

  test('of another account is another request', async () => {
    const key = randomUUID();
    const mine = await create(key);
    const theirs = await create(key, goodBot, stranger);
    assert.equal(theirs.status, 201);
    assert.notEqual(theirs.body.data.id, mine.body.data.id);
  });

  test('of ten at once one runs', async () => {
    const key = randomUUID();
    const before = await botCount();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key, { ...goodBot, memory: 128 })));
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, running);
    const fresh = answers.filter(({ status, headers }) => status === 201 && !headers.has('Idempotency-Replayed'));
    assert.equal(fresh.length, 1);
    assert.equal(await botCount(), before + 1);
  });
});

describe('a key', () => {
  test('of another body or another path is refused', async () => {
    const key = randomUUID();
    await create(key);
    assertRefused(await create(key, { ...goodBot, memory: 128 }), reused);
    assertRefused(await send(client, 'POST /bots/start', { bot_id: randomUUID() }, withKey(key)), reused);
  });

  test('is 1 to 255 visible ASCII characters', async () => {
    const refusal = invalidInput('Idempotency-Key', 'is not valid');
    for (const key of ['', 'two words', 'x'.repeat(256), 'é']) assertRefused(await create(key), refusal, key);
    assert.equal((await create('x'.repeat(255))).status, 201);
  });

  test('is not taken by a request that is not valid', async () => {
    const key = randomUUID();
    assert.equal((await create(key, { ...goodBot, memory: 1 })).status, 400);
    assert.equal((await create(key)).status, 201);
  });

  test('of a request that a crash cut off stays taken', async () => {
    const key = randomUUID();
    await create(key);
    await inDatabase(fixture, (db) => db.updateTable('idempotency_keys').set({ status: null }).execute());
    assertRefused(await create(key), running);
  });
});

test('too many requests take no key; answers are kept over a restart', async () => {
  const before = await startFixture({ BOTEL_RATE_LIFECYCLE: '1' });
  const key = randomUUID();
  const first = await create(key, goodBot, before.client);
  const start = (startKey: string) =>
    send(before.client, 'POST /bots/start', { bot_id: first.body.data.id }, withKey(startKey));
  await start(randomUUID());
  for (const _ of [1, 2]) {
    const answer = await start('limited');
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('Idempotency-Replayed'), null);
  }
  await before.server.stop();
  await using again = await startFixture({ BOTEL_DATA_DIR: before.directory });
  const second = await create(key, goodBot, again.client);
  assert.equal(second.headers.get('Idempotency-Replayed'), 'true');
  assert.deepEqual(second.body, first.body);
});

describe('answers with secrets', () => {
  test('are never stored', async () => {
    const bot = (await create(randomUUID())).body.data.id;
    const rows = () => inDatabase(fixture, (db) => db.selectFrom('idempotency_keys').selectAll().execute());
    const before = await rows();
    const set = { bot_id: bot, set: { TOKEN: 'very secret' } };
    for (const _ of [1, 2]) {
      const answer = await send(client, 'POST /bots/env/set', set, withKey('one key'));
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('Idempotency-Replayed'), null);
    }
    assert.deepEqual(await rows(), before);
  });

  test('are those of every route whose answer can hold one', () => {
    const secretFields = /"(token|secret|password|download_url|environment|signature)":/;
    const faults = routes
      .map(({ declaration }) => declaration as typeof declaration & { data?: z.ZodType })
      .filter(({ data }) => data && secretFields.test(JSON.stringify(z.toJSONSchema(data))))
      .filter((declaration) => declaration.scope && isReplayed(declaration))
      .map(({ method, url }) => `${method} ${url}`);
    assert.deepEqual(faults, []);
    // Other codes are of exits and hints.
    assert.ok(!isReplayed({ method: 'POST', url: '/admin/users/reset' }));
  });
});
