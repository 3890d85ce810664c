// POST /bots/update, the env endpoints, GET /bots/:id/wait and GET /runtimes by status.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { BotData, RuntimesData } from '@botel/contract/bots';
import { ApiError } from '@botel/contract/client';
import { languages } from '@botel/contract/vocabulary';
import fc from 'fast-check';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;
const nobody = '00000000-0000-4000-8000-000000000000';

interface EnvironmentData {
  environment: Record<string, string>;
  needs_restart: boolean;
}

async function online(): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  await client.lifecycle('start', id);
  await until(async () => (await client.bot(id)).status === 'online');
  return id;
}

function refusal(call: Promise<unknown>) {
  return call.then(
    () => assert.fail('accepted'),
    (error) => {
      assert.ok(error instanceof ApiError);
      return [error.status, error.message];
    },
  );
}

describe('200', () => {
  test('update changes what is given and says that a restart is needed', async () => {
    const id = await online();
    const change = {
      bot_id: id,
      name: 'renamed',
      startup_command: 'node other.js',
      restart_policy: { mode: 'always', max_retries: 3 },
      stop: { grace_seconds: 3 },
    };
    const { data, message } = await client.call<BotData>('POST', '/bots/update', change);
    assert.equal(message, 'Bot "renamed" was updated');
    assert.equal(data.status, 'online');
    assert.equal(data.needs_restart, true);
    assert.deepEqual(data.restart_policy, { mode: 'always', max_retries: 3, backoff_max_seconds: 300 });
    assert.deepEqual(data.stop, { signal: 'SIGTERM', grace_seconds: 3 });
    await client.lifecycle('restart', id);
    const restarted = await until(async () => {
      const bot = await client.bot(id);
      return bot.status === 'online' && bot;
    });
    assert.deepEqual(
      [restarted.needs_restart, restarted.startup_command, restarted.memory],
      [false, 'node other.js', 128],
    );
    const container = fixture.machine.containers().find((candidate) => candidate.botId === id);
    assert.deepEqual(container?.spec?.argv, ['node', 'other.js']);
    await client.deleteBot(id, true);
  });

  test('memory within the plan, less of it always', async () => {
    const { id } = await client.createBot({ ...goodBot, memory: 512 });
    const grown = await client.call<BotData>('POST', '/bots/update', { bot_id: id, memory: 1024 });
    assert.deepEqual([grown.data.memory, grown.data.vcpu], [1024, 2]);
    const shrunk = await client.call<BotData>('POST', '/bots/update', { bot_id: id, memory: 128 });
    assert.deepEqual([shrunk.data.memory, shrunk.data.vcpu], [128, 0.25]);
    await client.deleteBot(id);
  });

  test('env: read, replace, merge; values are nowhere else', async () => {
    const { id } = await client.createBot({ ...goodBot, environment: { A: 'one', CANARY: 'secret-canary-value' } });
    const url = `/bots/${id}/env`;
    assert.deepEqual((await client.call<EnvironmentData>('GET', url)).data, {
      environment: { A: 'one', CANARY: 'secret-canary-value' },
      needs_restart: false,
    });
    const merged = await client.call<EnvironmentData>('POST', '/bots/env/set', {
      bot_id: id,
      set: { B: 2 },
      unset: ['A', 'X'],
    });
    assert.deepEqual(merged.data.environment, { CANARY: 'secret-canary-value', B: '2' });
    const bot = JSON.stringify(await client.bot(id));
    assert.ok(bot.includes('CANARY') && !bot.includes('secret-canary-value'));
    for (const name of ['botel.sqlite', 'botel.sqlite-wal']) {
      assert.ok(!readFileSync(join(fixture.directory, name)).includes('secret-canary-value'), name);
    }
    const replaced = await client.call<EnvironmentData>('PUT', url, { environment: {} });
    assert.deepEqual(replaced.data.environment, {});
    await client.deleteBot(id);
  });

  test('a running bot needs a restart for new variables, and then has them', async () => {
    const id = await online();
    const { data } = await client.call<EnvironmentData>('POST', '/bots/env/set', { bot_id: id, set: { NEW: 'value' } });
    assert.equal(data.needs_restart, true);
    await client.lifecycle('restart', id);
    await until(async () => (await client.bot(id)).status === 'online');
    const container = fixture.machine.containers().find((candidate) => candidate.botId === id);
    assert.ok(container?.spec?.environment.includes('NEW=value'));
    await client.deleteBot(id, true);
  });

  test('any variables come back equal', async () => {
    const { id } = await client.createBot({ ...goodBot });
    const character = fc.string({ unit: 'binary-ascii', maxLength: 20 }).filter((text) => !text.includes('\0'));
    const key = fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
      .filter((text) => !/=|^BOTEL_|^__proto__$/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, character, { maxKeys: 5, noNullPrototype: true }), async (environment) => {
        const { data } = await client.call<EnvironmentData>('PUT', `/bots/${id}/env`, { environment });
        assert.deepEqual(data.environment, environment);
      }),
      { numRuns: 50 },
    );
    await client.deleteBot(id);
  });

  test('wait returns when the status is there, and says when it is not', async () => {
    const { id } = await client.createBot({ ...goodBot });
    const waiting = client.call<{ bot: BotData; reached: boolean }>('GET', `/bots/${id}/wait?status=online&timeout=30`);
    await client.lifecycle('start', id);
    const { data } = await waiting;
    assert.deepEqual([data.reached, data.bot.status], [true, 'online']);
    const missed = await client.call<{ bot: BotData; reached: boolean }>(
      'GET',
      `/bots/${id}/wait?status=offline&timeout=1`,
    );
    assert.deepEqual([missed.data.reached, missed.data.bot.status], [false, 'online']);
    await client.deleteBot(id, true);
  });

  test('runtimes are public', async () => {
    const { data } = await fixture.guest.call<RuntimesData>('GET', '/runtimes');
    assert.deepEqual(
      data.runtimes.map((runtime) => runtime.language),
      [...languages],
    );
    assert.deepEqual(data.runtimes[0], { language: 'nodejs', versions: ['24', '22', '20'], default: '24' });
    for (const { versions, default: first } of data.runtimes) assert.equal(versions[0], first);
  });
});

test('400', async () => {
  const { id } = await client.createBot({ ...goodBot });
  const before = await client.bot(id);
  const update = (change: object) => refusal(client.call('POST', '/bots/update', { bot_id: id, ...change }));
  assert.deepEqual(await update({ name: 'a b' }), [
    400,
    'name may contain only letters, numbers, underscores and hyphens',
  ]);
  assert.deepEqual(await update({ memory: 100 }), [400, 'memory must be a whole number of MB, at least 128']);
  assert.deepEqual(await update({ runtime_version: '1' }), [400, 'runtime_version must be one of: 24, 22, 20']);
  assert.deepEqual(await update({ restart_policy: { mode: 'x' } }), [
    400,
    'restart_policy.mode must be one of: always, on-failure, never',
  ]);
  assert.deepEqual(await update({ stop: { signal: 'SIGKILL' } }), [
    400,
    'stop.signal must be one of: SIGTERM, SIGINT, SIGQUIT',
  ]);
  assert.deepEqual(await update({ stop: { grace_seconds: 301 } }), [
    400,
    'stop.grace_seconds must be a whole number between 1 and 300',
  ]);
  const put = (environment: unknown) => refusal(client.call('PUT', `/bots/${id}/env`, { environment }));
  assert.deepEqual(await put({ BOTEL_X: '1' }), [400, 'environment.BOTEL_X is not valid']);
  assert.deepEqual(await put({ A: {} }), [400, 'environment must be an object with string values']);
  assert.deepEqual(await put(undefined), [400, 'environment is required']);
  assert.deepEqual(await put([]), [400, 'environment must be an object with string values']);
  assert.deepEqual(await refusal(client.call('GET', `/bots/${id}/wait?status=nowhere`)), [
    400,
    'status must be one of: offline, starting, online, stopping',
  ]);
  assert.deepEqual(await refusal(client.call('GET', `/bots/${id}/wait?status=online&timeout=61`)), [
    400,
    'timeout must be a whole number between 1 and 60',
  ]);
  assert.deepEqual(await client.bot(id), before);
  await client.deleteBot(id);
});

test('403: memory over the plan changes nothing', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 512 });
  const { id: other } = await client.createBot({ ...goodBot, memory: 1024 });
  const call = client.call('POST', '/bots/update', { bot_id: id, memory: 4096 });
  assert.deepEqual(await refusal(call), [403, 'Insufficient memory: need 4096MB, only 3072MB available']);
  assert.equal((await client.bot(id)).memory, 512);
  for (const made of [id, other]) await client.deleteBot(made);
});

test('404: unknown and foreign bots', async () => {
  const { id } = await client.createBot({ ...goodBot });
  for (const [who, target] of [
    [client, nobody],
    [stranger, id],
  ] as const) {
    const requests: [string, string, object?][] = [
      ['POST', '/bots/update', { bot_id: target, name: 'x' }],
      ['GET', `/bots/${target}/env`],
      ['PUT', `/bots/${target}/env`, { environment: {} }],
      ['POST', '/bots/env/set', { bot_id: target, set: {} }],
      ['GET', `/bots/${target}/wait?status=online`],
    ];
    for (const request of requests) assert.deepEqual(await refusal(who.call(...request)), [404, 'Bot not found']);
  }
  await client.deleteBot(id);
});
