// POST /bots/stop, /bots/kill and /bots/delete: every row of the table of states, and what is left
// afterwards.
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import {
  assertStatus,
  deaf,
  ended,
  offlineBot,
  onlineBot,
  settled,
  stoppingBot,
  waitingBot,
  withoutEngine,
} from './bot-states.ts';
import { type Answer, assertRefused, botNotFound, invalidInput, type Refusal, send, unauthorized } from './request.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
after(() => fixture[Symbol.asyncDispose]());
const { client, machine } = fixture;

afterEach(async () => {
  for (const bot of await client.bots()) await client.deleteBot(bot.id, true);
  await fixture.server.settle();
});

function call(verb: 'stop' | 'kill' | 'delete', body: unknown): Promise<Answer> {
  return send(client, `POST /bots/${verb}`, body);
}

function assertAnswer(answer: Answer, status: string, message: string): void {
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { success: true, data: { status }, message });
}

const alreadyOffline: Refusal = { status: 409, code: 'bot_already_offline', error: 'Bot is already offline' };
const notOffline: Refusal = { status: 409, code: 'bot_not_offline', error: 'Bot must be offline' };
const absentId = '00000000-0000-4000-8000-000000000000';

describe('POST /bots/stop 200', () => {
  test('online: stopping, then offline without a reason; the exit says stopped; no restart', async () => {
    const { id } = await onlineBot(fixture);
    assertAnswer(await call('stop', { bot_id: id }), 'stopping', 'Bot "greeter" is stopping');
    const bot = await settled(fixture, id, 'offline');
    assert.deepEqual(
      [bot.status_reason, bot.next_restart_at, bot.desired_status, bot.phase],
      [null, null, 'offline', null],
    );
    assert.deepEqual([bot.last_exit?.reason, bot.last_exit?.run], ['stopped', 1]);
    assert.deepEqual(machine.containers(), []);
  });

  test('starting: the start is cancelled', async () => {
    const { id } = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await client.lifecycle('start', id);
      assertAnswer(await call('stop', { bot_id: id }), 'stopping', 'Bot "greeter" is stopping');
    });
    assert.equal((await settled(fixture, id, 'offline')).run, 0);
    assert.deepEqual(machine.containers(), []);
  });

  test('waiting for a restart: offline, and it will not be restarted', async () => {
    const { id } = await waitingBot(fixture);
    assertAnswer(await call('stop', { bot_id: id }), 'offline', 'Bot "greeter" will not be restarted');
    const bot = await settled(fixture, id, 'offline');
    assert.deepEqual([bot.next_restart_at, bot.desired_status, bot.status_reason], [null, 'offline', null]);
    assert.equal(bot.last_exit?.reason, 'crashed');
    assertRefused(await call('stop', { bot_id: id }), alreadyOffline);
  });

  test('stopping: no effect', async () => {
    const { id, generation } = await stoppingBot(fixture);
    assertAnswer(await call('stop', { bot_id: id, grace_seconds: 0 }), 'stopping', 'Bot "greeter" is stopping');
    assert.equal((await assertStatus(fixture, id, 'stopping')).generation, generation);
    assert.equal(machine.byName(`bot_${id}`)?.state, 'running');
  });

  test('grace_seconds 0: a program that ignores the stop signal is killed at once', async () => {
    const { id } = await onlineBot(fixture, deaf);
    await call('stop', { bot_id: id, grace_seconds: 0 });
    const bot = await until(async () => {
      const now = await client.bot(id);
      return now.status === 'offline' && now;
    });
    assert.deepEqual([bot.last_exit?.reason, bot.last_exit?.signal], ['killed', 'SIGKILL']);
  });
});

describe('POST /bots/kill 200', () => {
  test('online: SIGKILL now', async () => {
    const { id } = await onlineBot(fixture, deaf);
    assertAnswer(await call('kill', { bot_id: id }), 'stopping', 'Bot "greeter" is being killed');
    const bot = await settled(fixture, id, 'offline');
    assert.deepEqual([bot.last_exit?.reason, bot.last_exit?.signal, bot.status_reason], ['killed', 'SIGKILL', null]);
  });

  test('starting: the start is cancelled; waiting: it will not be restarted', async () => {
    const { id } = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await client.lifecycle('start', id);
      assertAnswer(await call('kill', { bot_id: id }), 'stopping', 'Bot "greeter" is being killed');
    });
    await settled(fixture, id, 'offline');
    const waiting = await waitingBot(fixture);
    assertAnswer(await call('kill', { bot_id: waiting.id }), 'offline', 'Bot "greeter" will not be restarted');
    assert.equal((await settled(fixture, waiting.id, 'offline')).next_restart_at, null);
  });

  test('stopping: ends the grace', async () => {
    const { id } = await stoppingBot(fixture);
    assertAnswer(await call('kill', { bot_id: id }), 'stopping', 'Bot "greeter" is being killed');
    const bot = await until(async () => {
      const now = await client.bot(id);
      return now.status === 'offline' && now;
    });
    assert.equal(bot.last_exit?.reason, 'killed');
  });
});

describe('POST /bots/delete 200', () => {
  test('offline: id and time; gone from GET, from the list and from the plan', async () => {
    const { id } = await offlineBot(fixture);
    const answer = await call('delete', { bot_id: id });
    const { deleted_at: deletedAt } = answer.body.data;
    assert.match(String(deletedAt), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    assert.deepEqual(answer.body, {
      success: true,
      data: { id, deleted_at: deletedAt },
      message: 'Bot "greeter" was deleted',
    });
    assertRefused(await send(client, `GET /bots/${id}`), botNotFound);
    assert.deepEqual(await client.bots(), []);
    assert.deepEqual([(await client.usage()).memory.used_mb, (await client.usage()).bots.used], [0, 0]);
    assertRefused(await call('delete', { bot_id: id }), botNotFound);
  });

  test('waiting for a restart: deleted, and never started again', async () => {
    const { id } = await waitingBot(fixture);
    assert.equal((await call('delete', { bot_id: id })).status, 200);
    await fixture.server.settle();
    assert.deepEqual(machine.containers(), []);
  });

  test('with force: online, starting and stopping ones, with their containers', async () => {
    const starting = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await client.lifecycle('start', starting.id);
      assert.equal((await call('delete', { bot_id: starting.id, force: true })).status, 200);
    });
    const online = await onlineBot(fixture, deaf);
    const stopping = await stoppingBot(fixture);
    for (const { id } of [online, stopping])
      assert.equal((await call('delete', { bot_id: id, force: true })).status, 200);
    assert.deepEqual(await client.bots(), []);
    await until(async () => machine.containers().length === 0);
  });
});

describe('409', () => {
  test('stop and kill of an offline bot: Bot is already offline', async () => {
    const created = await offlineBot(fixture);
    const exited = await onlineBot(fixture);
    await ended(fixture, exited.id, 0);
    for (const { id } of [created, exited]) {
      assertRefused(await call('stop', { bot_id: id }), alreadyOffline);
      assertRefused(await call('kill', { bot_id: id }), alreadyOffline);
    }
  });

  test('delete without force of a bot that is not offline: Bot must be offline', async () => {
    const starting = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await client.lifecycle('start', starting.id);
      assertRefused(await call('delete', { bot_id: starting.id }), notOffline);
    });
    const online = await onlineBot(fixture);
    const stopping = await stoppingBot(fixture);
    for (const { id } of [online, stopping])
      for (const body of [{ bot_id: id }, { bot_id: id, force: false }])
        assertRefused(await call('delete', body), notOffline);
    assert.equal((await client.bots()).length, 3);
  });
});

describe('400, 401, 404', () => {
  test('bot_id, grace_seconds and force are checked; the bot stays as it is', async () => {
    const { id } = await onlineBot(fixture);
    for (const verb of ['stop', 'kill', 'delete'] as const) {
      assertRefused(await call(verb, {}), invalidInput('bot_id', 'is required'));
      assertRefused(await call(verb, { bot_id: 1 }), invalidInput('bot_id', 'must be a string'));
      assertRefused(await call(verb, { bot_id: 'x' }), invalidInput('bot_id', 'must be a UUID'));
    }
    for (const grace of [-1, 301, 0.5, 1e9])
      assertRefused(
        await call('stop', { bot_id: id, grace_seconds: grace }),
        invalidInput('grace_seconds', 'must be a whole number between 0 and 300'),
      );
    for (const grace of ['5', true, []])
      assertRefused(
        await call('stop', { bot_id: id, grace_seconds: grace }),
        invalidInput('grace_seconds', 'must be a number'),
      );
    for (const force of ['true', 1, {}])
      assertRefused(await call('delete', { bot_id: id, force }), invalidInput('force', 'must be true or false'));
    await settled(fixture, id, 'online');
  });

  test('no token, an unknown bot', async () => {
    const { id } = await onlineBot(fixture);
    for (const verb of ['stop', 'kill', 'delete'] as const) {
      assertRefused(await send(fixture.guest, `POST /bots/${verb}`, { bot_id: id, force: true }), unauthorized);
      assertRefused(await call(verb, { bot_id: absentId, force: true }), botNotFound);
    }
    await settled(fixture, id, 'online');
  });
});
