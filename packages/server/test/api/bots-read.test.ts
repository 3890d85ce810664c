// GET /bots/:id and GET /bots: every field of a bot in each state of its life, lists and their
// pages.
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, offlineBot, onlineBot, stoppingBot, withoutEngine } from './bot-states.ts';
import { assertRefused, botNotFound, invalidInput, send, unauthorized } from './request.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100', BOTEL_DEFAULT_PLAN_MEMORY_MB: '100000' });
after(() => fixture[Symbol.asyncDispose]());
const { client, machine } = fixture;

afterEach(async () => {
  for (const bot of await client.bots()) await client.deleteBot(bot.id, true);
  await fixture.server.settle();
});

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('GET /bots/:id 200', () => {
  test('a new bot: every field', async () => {
    const { id } = await client.createBot({ ...goodBot, environment: { B: '1', A: '2' } });
    const { body, status } = await send<BotData>(client, `GET /bots/${id}`);
    assert.equal(status, 200);
    const { created_at: createdAt } = body.data;
    assert.match(createdAt, time);
    assert.deepEqual(body, {
      success: true,
      data: {
        id,
        name: 'greeter',
        language: 'nodejs',
        memory: 256,
        vcpu: 0.5,
        status: 'offline',
        startup_command: 'node index.js',
        status_reason: null,
        phase: null,
        desired_status: 'offline',
        generation: 0,
        last_exit: null,
        next_restart_at: null,
        restart_count: 0,
        restarts_24h: 0,
        run: 0,
        started_at: null,
        uptime_seconds: null,
        restart_policy: { mode: 'on-failure', max_retries: null, backoff_max_seconds: 300 },
        stop: { signal: 'SIGTERM', grace_seconds: 10 },
        runtime_version: body.data.runtime_version,
        packages: [],
        build_command: null,
        network: 'internet',
        stdin: false,
        environment_keys: ['B', 'A'],
        needs_restart: false,
        usage: null,
        disk: {
          used_bytes: null,
          limit_bytes: 10_240 * 1024 * 1024,
          used_files: null,
          limit_files: 10_240 * 64,
        },
        app: null,
        suspended: false,
        suspended_reason: null,
        role: 'owner',
        container: `bot_${id}`,
        created_at: createdAt,
        updated_at: createdAt,
        observed_at: body.data.observed_at,
      },
    });
  });

  test('online: since when and for how long; an id in upper case is the same bot', async () => {
    const { id } = await onlineBot(fixture);
    const bot = (await send<BotData>(client, `GET /bots/${id.toUpperCase()}`)).body.data;
    assert.deepEqual([bot.id, bot.status, bot.phase, bot.run], [id, 'online', 'running', 1]);
    assert.match(bot.started_at ?? '', time);
    assert.match(bot.observed_at ?? '', time);
    assert.ok(Number.isInteger(bot.uptime_seconds));
  });

  test('crashed: the exit with its code and last lines, the time of the next try', async () => {
    const { id } = await onlineBot(fixture);
    machine.write(id, 'about to fail', 'stderr');
    const bot = await ended(fixture, id, 3);
    assert.deepEqual([bot.status_reason, bot.phase, bot.desired_status], ['crashed', 'waiting', 'online']);
    assert.match(bot.next_restart_at ?? '', time);
    assert.deepEqual([bot.started_at, bot.uptime_seconds], [null, null]);
    const { last_exit: exit } = bot;
    assert.deepEqual([exit?.code, exit?.signal, exit?.oom, exit?.reason, exit?.run], [3, null, false, 'crashed', 1]);
    assert.deepEqual(exit?.last_lines, ['started', 'about to fail']);
    assert.match(exit.at, time);
    assert.ok(exit.message.length > 0 && exit.uptime_seconds >= 0);
  });

  test('killed for memory: oom, by the word of the engine and not by the code', async () => {
    const { id } = await onlineBot(fixture);
    const bot = await ended(fixture, id, 137, { oom: true });
    assert.deepEqual([bot.status_reason, bot.last_exit?.oom, bot.last_exit?.reason], ['oom', true, 'oom']);
    const other = await onlineBot(fixture);
    const killed = (await ended(fixture, other.id, 137)).last_exit;
    assert.deepEqual([killed?.oom, killed?.reason, killed?.signal], [false, 'crashed', 'SIGKILL']);
  });

  test('ended by itself with 0: exited, and not tried again', async () => {
    const { id } = await onlineBot(fixture);
    const bot = await ended(fixture, id, 0);
    assert.deepEqual([bot.status_reason, bot.next_restart_at, bot.last_exit?.code], ['exited', null, 0]);
  });

  test('removed behind our back: vanished', async () => {
    const { id } = await onlineBot(fixture);
    machine.removeByHand(id);
    const bot = await until(async () => {
      const now = await client.bot(id);
      return now.last_exit !== null && now;
    });
    // The look between its end and its removal may come first.
    assert.match(bot.last_exit?.reason ?? '', /^(vanished|crashed)$/);
    assert.equal(bot.status_reason, bot.last_exit?.reason);
    assert.match(bot.next_restart_at ?? '', time);
  });

  test('the engine is silent: status unchanged, the reason says so', async () => {
    const { id } = await onlineBot(fixture);
    await withoutEngine(fixture, async () => {
      const bot = await client.bot(id);
      assert.deepEqual([bot.status, bot.status_reason], ['online', 'engine_unavailable']);
    });
    assert.equal((await client.bot(id)).status_reason, null);
  });
});

describe('GET /bots/:id 401, 404', () => {
  test('no token; an unknown id, one that is no UUID, a path out of the API', async () => {
    const { id } = await offlineBot(fixture);
    assertRefused(await send(fixture.guest, `GET /bots/${id}`), unauthorized);
    const absent = [
      '00000000-0000-4000-8000-000000000000',
      'x',
      '5',
      `${id}x`,
      `bot_${id}`,
      '%00',
      '..%2F..%2Fetc',
      '%20',
    ];
    for (const other of absent) assertRefused(await send(client, `GET /bots/${other}`), botNotFound, other);
    assertRefused(await send(client, `GET /bots/${'x'.repeat(5000)}`), botNotFound);
  });
});

interface BotPage {
  bots: BotData[];
  count: number;
  next_cursor: string | null;
}

async function list(query = ''): Promise<BotPage> {
  const answer = await send<BotPage>(client, `GET /bots${query}`);
  assert.equal(answer.status, 200);
  return answer.body.data;
}

async function make(names: string[]): Promise<void> {
  for (const name of names) await client.createBot({ ...goodBot, memory: 128, name });
}

describe('GET /bots 200', () => {
  test('none; then each as GET /bots/:id shows it, the newest first', async () => {
    assert.deepEqual(await list(), { bots: [], count: 0, next_cursor: null });
    await make(['first', 'second', 'third']);
    const page = await list();
    assert.deepEqual([page.count, page.next_cursor], [3, null]);
    const created = page.bots.map((bot) => bot.created_at);
    assert.deepEqual(created, created.toSorted().toReversed());
    for (const bot of page.bots) assert.deepEqual(bot, await client.bot(bot.id));
  });

  test('pages hold every bot once, whatever their size; count is the total', async () => {
    await make(Array.from({ length: 7 }, (_, index) => `bot-${index}`));
    for (const limit of [1, 3, 7, 100]) {
      const names: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await list(`?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
        assert.equal(page.count, 7);
        assert.ok(page.bots.length <= limit);
        names.push(...page.bots.map((bot) => bot.name));
        cursor = page.next_cursor;
      }
      assert.deepEqual(names.toSorted(), ['bot-0', 'bot-1', 'bot-2', 'bot-3', 'bot-4', 'bot-5', 'bot-6']);
    }
  });

  test('sorted by name or memory', async () => {
    await client.createBot({ ...goodBot, name: 'b', memory: 128 });
    await client.createBot({ ...goodBot, name: 'c', memory: 512 });
    await client.createBot({ ...goodBot, name: 'a', memory: 256 });
    assert.deepEqual(
      (await list('?sort=name')).bots.map((bot) => bot.name),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(
      (await list('?sort=memory')).bots.map((bot) => bot.name),
      ['c', 'a', 'b'],
    );
  });

  test('q is a part of the name, in any case, and never a pattern', async () => {
    await make(['Alpha', 'alphabet', 'be_ta', 'beXta']);
    const names = async (q: string) =>
      (await list(`?q=${encodeURIComponent(q)}`)).bots.map((bot) => bot.name).toSorted();
    assert.deepEqual(await names('ALPHA'), ['Alpha', 'alphabet']);
    assert.deepEqual(await names('e_t'), ['be_ta']);
    for (const q of ['%', '\\', "'", '*', 'none']) assert.deepEqual(await names(q), [], q);
  });

  test('by status', async () => {
    const online = await onlineBot(fixture);
    const { id } = await onlineBot(fixture);
    await ended(fixture, id, 0);
    const stopping = await stoppingBot(fixture);
    const expected = { online: online.id, stopping: stopping.id, offline: id };
    for (const [status, only] of Object.entries(expected)) {
      const page = await list(`?status=${status}`);
      assert.deepEqual([page.bots.map((bot) => bot.id), page.count], [[only], 1], status);
    }
    assert.equal((await list('?status=starting')).count, 0);
  });

  test("another user's bots are not in it", async () => {
    await make(['mine']);
    assert.deepEqual(await fixture.stranger.bots(), []);
  });
});

describe('GET /bots 400, 401', () => {
  test('limit, cursor, status, q and sort are checked', async () => {
    const refused = async (query: string, field: string, fault: string) =>
      assertRefused(await send(client, `GET /bots?${query}`), invalidInput(field, fault), query);
    for (const limit of ['0', '101', '-1', '1.5', 'x', '', '1e1', '%2010', '9'.repeat(30)])
      await refused(`limit=${limit}`, 'limit', 'must be a whole number between 1 and 100');
    await refused('limit=1&limit=2', 'limit', 'is not valid');
    for (const cursor of ['x', '5', Buffer.from('x').toString('base64url')])
      await refused(`cursor=${cursor}`, 'cursor', 'is not valid');
    const gone = Buffer.from('00000000-0000-4000-8000-000000000000').toString('base64url');
    await refused(`cursor=${gone}`, 'cursor', 'is not valid');
    await refused('status=running', 'status', 'must be one of: offline, starting, online, stopping');
    await refused('sort=size', 'sort', 'must be one of: created, name, memory');
    await refused(`q=${'x'.repeat(201)}`, 'q', 'must be between 1 and 200 characters');
    await refused('q=', 'q', 'must be between 1 and 200 characters');
  });

  test('no token', async () => {
    assertRefused(await send(fixture.guest, 'GET /bots'), unauthorized);
  });
});
