// POST /bots/start and /bots/restart (docs/specification.md, section 4): immediate answers, work in
// the background, conflicts.
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import type { EventListData } from '@botel/contract/bot-events';
import { startFixture } from '../support/fixture.ts';
import {
  assertStatus,
  ended,
  offlineBot,
  onlineBot,
  settled,
  stoppingBot,
  waitingBot,
  withoutEngine,
} from './bot-states.ts';
import { inDatabase } from './database.ts';
import {
  type Answer,
  assertRefused,
  botNotFound,
  invalidInput,
  invalidJson,
  type Refusal,
  send,
  unauthorized,
} from './request.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
after(() => fixture[Symbol.asyncDispose]());
const { client, machine } = fixture;

afterEach(async () => {
  for (const bot of await client.bots()) await client.deleteBot(bot.id, true);
  await fixture.server.settle();
});

function start(body: unknown): Promise<Answer> {
  return send(client, 'POST /bots/start', body);
}

function restart(body: unknown): Promise<Answer> {
  return send(client, 'POST /bots/restart', body);
}

function conflict(code: Refusal['code'], error: string): Refusal {
  return { status: 409, code, error };
}

const absentId = '00000000-0000-4000-8000-000000000000';

describe('POST /bots/start 200', () => {
  test('"returned immediately": message \'Bot "<name>" is starting\', data "status = starting", nothing else', async () => {
    const { id } = await offlineBot(fixture);
    const answer = await start({ bot_id: id });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: { status: 'starting' },
      message: 'Bot "greeter" is starting',
    });
  });

  test('"a container bot_<id> is created with memory and CPU limits, it is started", the status becomes online', async () => {
    const { id } = await offlineBot(fixture);
    await start({ bot_id: id });
    const bot = await settled(fixture, id, 'online');
    const container = machine.byName(`bot_${id}`);
    assert.equal(container?.state, 'running');
    assert.equal(container.spec?.memoryBytes, 128 * 1024 * 1024);
    assert.equal(container.spec.cpuQuotaMicros / container.spec.cpuPeriodMicros, 0.25);
    assert.deepEqual([bot.container, bot.run, bot.generation, bot.desired_status], [`bot_${id}`, 1, 1, 'online']);
    assert.deepEqual([bot.phase, bot.status_reason, bot.last_exit], ['running', null, null]);
    assert.ok(bot.started_at && Number.isInteger(bot.uptime_seconds));
  });

  test('bot_id in upper case is the same bot', async () => {
    const { id } = await offlineBot(fixture);
    assert.equal((await start({ bot_id: id.toUpperCase() })).status, 200);
  });

  test('an ended bot starts again; so does one that waits for its next try, at once', async () => {
    const { id } = await onlineBot(fixture);
    await ended(fixture, id, 0);
    assert.equal((await start({ bot_id: id })).status, 200);
    assert.equal((await settled(fixture, id, 'online')).run, 2);

    const waiting = await waitingBot(fixture);
    assert.equal((await start({ bot_id: waiting.id })).status, 200);
    const again = await settled(fixture, waiting.id, 'online');
    assert.deepEqual([again.run, again.next_restart_at, again.restart_count], [2, null, 0]);
  });

  test('the desired state is stored while the engine is away, and comes true when it is back', async () => {
    const { id } = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      assert.equal((await start({ bot_id: id })).status, 200);
      assert.equal((await client.bot(id)).status, 'starting');
      assert.deepEqual(machine.containers(), []);
    });
    await settled(fixture, id, 'online');
  });

  test('a command that the engine refuses: 200 all the same, then offline with the reason', async () => {
    const { id } = await offlineBot(fixture, 'start-error');
    assert.equal((await start({ bot_id: id })).body.data.status, 'starting');
    const bot = await settled(fixture, id, 'offline');
    assert.deepEqual([bot.status_reason, bot.last_exit?.reason], ['start_failed', 'start_failed']);
  });
});

describe('POST /bots/start 409', () => {
  test('"409, error text \'Bot is already online\'"; the bot is unchanged', async () => {
    const { id } = await onlineBot(fixture);
    const before = await client.bot(id);
    assertRefused(await start({ bot_id: id }), conflict('bot_already_online', 'Bot is already online'));
    const now = await settled(fixture, id, 'online');
    assert.deepEqual([now.generation, now.run, now.started_at], [before.generation, before.run, before.started_at]);
    assert.deepEqual(machine.count(id, 1), { creates: 1, starts: 1 });
  });

  test('Bot is already starting', async () => {
    const { id } = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await start({ bot_id: id });
      assertRefused(await start({ bot_id: id }), conflict('bot_already_starting', 'Bot is already starting'));
      assert.equal((await client.bot(id)).generation, 1);
    });
  });

  test('Bot is stopping', async () => {
    const { id } = await stoppingBot(fixture);
    assertRefused(await start({ bot_id: id }), conflict('bot_stopping', 'Bot is stopping'));
    await assertStatus(fixture, id, 'stopping');
  });

  test('of 20 starts at once one is accepted, and one container is made', async () => {
    const { id } = await offlineBot(fixture);
    const answers = await Promise.all(Array.from({ length: 20 }, () => start({ bot_id: id })));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    assert.equal(answers.filter((answer) => answer.status === 409).length, 19);
    await settled(fixture, id, 'online');
    assert.deepEqual(machine.count(id, 1), { creates: 1, starts: 1 });
  });
});

describe('POST /bots/start and /bots/restart 403', () => {
  test('the files take more than they may; after some were deleted it starts at once', async () => {
    const { id } = await offlineBot(fixture);
    await client.writeFile(id, 'data', new Uint8Array(3 * 1024 * 1024));
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 2 }).execute());
    await fixture.server.runTask('measure-disks');
    const full: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 3MB of 2MB' };
    assertRefused(await start({ bot_id: id }), full);
    assertRefused(await restart({ bot_id: id }), full);
    const { events } = (await client.call<EventListData>('GET', `/bots/${id}/events?type=disk.full`)).data;
    assert.match(events[0]?.message ?? '', / uses 3 MB of its 2 MB of disk$/);
    await client.call('POST', `/bots/${id}/files/delete`, { paths: ['data'] });
    assert.equal((await start({ bot_id: id })).status, 200);
    await settled(fixture, id, 'online');
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 10_240 }).execute());
  });
});

describe('POST /bots/restart 200', () => {
  test('"returned immediately": message \'Bot "<name>" is restarting\', data "status = starting", nothing else', async () => {
    const { id } = await onlineBot(fixture);
    const answer = await restart({ bot_id: id });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: { status: 'starting' },
      message: 'Bot "greeter" is restarting',
    });
  });

  test('"The bot is stopped and started again in the background": a new container, online again', async () => {
    const { id } = await onlineBot(fixture);
    const old = machine.byName(`bot_${id}`)?.containerId;
    await restart({ bot_id: id });
    const bot = await settled(fixture, id, 'online');
    const container = machine.byName(`bot_${id}`);
    assert.ok(container && container.containerId !== old && container.state === 'running');
    assert.deepEqual([bot.run, bot.generation, bot.last_exit?.reason], [2, 2, 'stopped']);
    assert.equal(machine.containers().length, 1);
  });

  test('accepted from offline, from waiting and from starting too', async () => {
    const { id } = await offlineBot(fixture);
    assert.equal((await restart({ bot_id: id })).body.data.status, 'starting');
    await settled(fixture, id, 'online');

    const waiting = await waitingBot(fixture);
    assert.equal((await restart({ bot_id: waiting.id })).body.data.status, 'starting');
    await settled(fixture, waiting.id, 'online');

    const starting = await offlineBot(fixture);
    await withoutEngine(fixture, async () => {
      await start({ bot_id: starting.id });
      assert.equal((await restart({ bot_id: starting.id })).body.data.status, 'starting');
    });
    assert.equal((await settled(fixture, starting.id, 'online')).generation, 2);
  });

  test('a restart that fails is still 200; the reason shows in the bot', async () => {
    const { id } = await offlineBot(fixture, 'start-error');
    assert.equal((await restart({ bot_id: id })).status, 200);
    assert.equal((await settled(fixture, id, 'offline')).status_reason, 'start_failed');
  });
});

describe('POST /bots/restart 409', () => {
  test('Bot is stopping', async () => {
    const { id } = await stoppingBot(fixture);
    assertRefused(await restart({ bot_id: id }), conflict('bot_stopping', 'Bot is stopping'));
    await assertStatus(fixture, id, 'stopping');
  });
});

for (const [line, call] of [
  ['POST /bots/start', start],
  ['POST /bots/restart', restart],
] as const) {
  describe(`${line} 400, 401, 404`, () => {
    test('bot_id is a UUID', async () => {
      assertRefused(await call({}), invalidInput('bot_id', 'is required'));
      assertRefused(await call({ bot_id: null }), invalidInput('bot_id', 'is required'));
      assertRefused(await call({ bot_id: 5 }), invalidInput('bot_id', 'must be a string'));
      assertRefused(await call({ bot_id: [absentId] }), invalidInput('bot_id', 'must be a string'));
      for (const id of [
        '',
        'x',
        `${absentId} `,
        absentId.replaceAll('-', ''),
        `{${absentId}}`,
        '../..',
        `bot_${absentId}`,
      ])
        assertRefused(await call({ bot_id: id }), invalidInput('bot_id', 'must be a UUID'), id);
      for (const body of ['', '{', '[]', `"${absentId}"`]) assertRefused(await call(body), invalidJson, body);
    });

    test('no token', async () => {
      const { id } = await offlineBot(fixture);
      assertRefused(await send(fixture.guest, line, { bot_id: id }), unauthorized);
      await settled(fixture, id, 'offline');
    });

    test('an unknown bot and a deleted one', async () => {
      assertRefused(await call({ bot_id: absentId }), botNotFound);
      const { id } = await offlineBot(fixture);
      await client.deleteBot(id);
      assertRefused(await call({ bot_id: id }), botNotFound);
    });
  });
}
