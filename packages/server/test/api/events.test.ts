// GET /bots/:id/events and GET /events.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BotEventData, EventListData } from '@botel/contract/bot-events';
import { adminEmail, adminPassword, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, offlineBot, onlineBot, waitingBot } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { assertRefused, botNotFound, invalidInput, send } from './request.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, server, machine } = fixture;

async function list(path: string, who = client): Promise<EventListData> {
  const { status, body } = await send<EventListData>(who, `GET ${path}`);
  assert.equal(status, 200, path);
  return body.data;
}

/** Events of a bot, oldest first. */
async function eventsOf(id: string): Promise<BotEventData[]> {
  return (await list(`/bots/${id}/events?limit=100`)).events.toReversed();
}

async function typesOf(id: string): Promise<string[]> {
  return (await eventsOf(id)).map((event) => event.type);
}

describe('200: what is told', () => {
  test('where a call came from: a program, a browser, a schedule', async () => {
    const { id } = await offlineBot(fixture);
    const { headers } = await send(
      fixture.guest,
      'POST /auth/login',
      {
        email: adminEmail,
        password: adminPassword,
        cookie: true,
      },
      { Origin: fixture.url },
    );
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const asBrowser = { Cookie: cookie, Origin: fixture.url };
    await send(fixture.guest, 'POST /bots/update', { bot_id: id, name: 'renamed' }, asBrowser);
    const made = await client.call<{ id: string }>('POST', `/bots/${id}/schedules`, {
      name: 'nightly',
      cron: '0 4 * * *',
      action: 'backup',
    });
    await client.call('POST', '/schedules/run', { schedule_id: made.data.id });
    await until(async () => (await typesOf(id)).includes('backup.completed'));
    assert.deepEqual(
      (await eventsOf(id)).map(({ type, actor }) => [type, actor.via]),
      [
        ['bot.created', 'api'],
        ['bot.updated', 'dashboard'],
        ['backup.completed', 'schedule'],
      ],
    );
  });

  test('a life that its owner leads, with who did what', async () => {
    const { id } = await onlineBot(fixture);
    await client.call('POST', '/bots/update', { bot_id: id, memory: 256, name: 'other' });
    await client.call('POST', '/bots/env/set', { bot_id: id, set: { A: 'secret' } });
    await client.lifecycle('stop', id);
    await server.settle();
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map(({ type, actor }) => [type, actor.name]),
      [
        ['bot.created', adminEmail],
        ['bot.starting', adminEmail],
        ['bot.online', 'Botel'],
        ['bot.updated', adminEmail],
        ['bot.updated', adminEmail],
        ['bot.stopping', adminEmail],
        ['bot.offline', 'Botel'],
      ],
    );
    const [created, , online, updated, variables, , offline] = events;
    assert.equal(created?.message, `Bot "${goodBot.name}" was created`);
    assert.equal(created?.actor.via, 'api');
    assert.deepEqual([created?.actor.kind, online?.actor], ['user', { kind: 'system', id: null, name: 'Botel' }]);
    assert.deepEqual(
      [updated?.detail, variables?.detail],
      [{ fields: ['name', 'memory'] }, { fields: ['environment'] }],
    );
    assert.deepEqual([offline?.message, offline?.detail.reason], ['Bot "other" was stopped', 'stopped']);
    assert.ok(!JSON.stringify(events).includes('secret'));
    for (const event of events) assert.ok(event.bot_id === id && Date.parse(event.at) <= Date.now());
  });

  test('an end, once, with its reason and the next try; the next try', async () => {
    const { id } = await waitingBot(fixture);
    const crash = (await eventsOf(id)).at(-1);
    assert.equal(crash?.type, 'bot.crashed');
    assert.deepEqual([crash.detail.reason, crash.detail.code, crash.detail.run], ['crashed', 1, 1]);
    assert.ok(Date.parse(String(crash.detail.next_restart_at)) > Date.parse(crash.at));
    await until(async () => (await client.bot(id)).status === 'online');
    await ended(fixture, id, 137, { oom: true });
    const life = ['bot.created', 'bot.starting', 'bot.online', 'bot.crashed', 'bot.starting', 'bot.online', 'bot.oom'];
    assert.deepEqual(await typesOf(id), life);
    assert.equal((await client.bot(id)).status, 'offline');
    await client.lifecycle('stop', id);
    assert.deepEqual(await typesOf(id), [...life, 'bot.offline'], 'a stop that takes back the next try');
  });

  test('a process that was killed for memory while the bot runs on, once for a while', async () => {
    const { id } = await onlineBot(fixture);
    machine.killProcess(id);
    machine.killProcess(id);
    await until(async () => (await typesOf(id)).includes('bot.oom'));
    machine.killProcess(id);
    const told = (await eventsOf(id)).at(-1);
    const message = 'Bot "greeter": Out of memory: a process was killed at the limit of 128 MB; the bot runs on';
    assert.deepEqual([told?.message, told?.detail], [message, { run: 1 }]);
    assert.equal((await client.bot(id)).status, 'online');
    await ended(fixture, id, 137, { oom: true });
    assert.deepEqual((await typesOf(id)).slice(-3), ['bot.online', 'bot.oom', 'bot.oom'], 'and then its own end');
    await client.lifecycle('stop', id);
  });

  test('the values of the environment were read, by whom; not what they are', async () => {
    const { id } = await offlineBot(fixture);
    await client.call('POST', '/bots/env/set', { bot_id: id, set: { TOKEN: 'do-not-tell' } });
    await client.call('GET', `/bots/${id}/env`);
    assert.deepEqual(await typesOf(id), ['bot.created', 'bot.updated', 'env.read']);
    const read = (await eventsOf(id)).at(-1);
    assert.deepEqual([read?.message, read?.detail], ['The environment of bot "greeter" was read', {}]);
    const countOf = async () => (await eventsOf(id)).filter(({ type }) => type === 'env.read').length;
    for (let at = 1; at < 30; at++) await client.call('GET', `/bots/${id}/env`);
    assert.equal(await countOf(), 1);
    const { count, last_at } = (await eventsOf(id)).at(-1)?.detail ?? {};
    assert.deepEqual([count, typeof last_at], [30, 'string']);
    // An hour later it is another one.
    await inDatabase(fixture, (db) =>
      db
        .updateTable('events')
        .set({ at: Date.now() - 3_700_000 })
        .where('type', '=', 'env.read')
        .execute(),
    );
    await client.call('GET', `/bots/${id}/env`);
    assert.equal(await countOf(), 2);
    assert.equal(read?.actor.kind, 'user');
  });

  test('five failures in a row are a crash loop', async () => {
    const { id } = await offlineBot(fixture, 'exit 3');
    const policy = { mode: 'on-failure', backoff_max_seconds: 1 };
    await client.call('POST', '/bots/update', { bot_id: id, restart_policy: policy });
    await client.lifecycle('start', id);
    await until(async () => (await typesOf(id)).includes('bot.crash_loop'), 20_000);
    const types = await typesOf(id);
    assert.equal(types.slice(0, types.indexOf('bot.crash_loop')).filter((type) => type === 'bot.crashed').length, 5);
    await client.lifecycle('stop', id);
  });

  test('a call that is refused, or changes nothing, tells nothing', async () => {
    const { id } = await offlineBot(fixture);
    assert.equal((await send(client, 'POST /bots/stop', { bot_id: id })).status, 409);
    assert.equal((await send(client, 'POST /bots/update', { bot_id: id, runtime_version: '1' })).status, 400);
    assert.equal(
      (await send(client, 'POST /bots/update', { bot_id: id, language: 'go' })).status,
      200,
      'nothing is named',
    );
    assert.deepEqual(await typesOf(id), ['bot.created']);
  });

  test('a deleted bot is told of in the list of all, and nothing after that', async () => {
    const { id } = await onlineBot(fixture);
    await client.deleteBot(id, true);
    await server.settle();
    assert.ok(!machine.containers().some((container) => container.botId === id));
    const { events } = await list(`/events?bot_id=${id}`);
    assert.deepEqual(
      events.map((event) => event.type),
      ['bot.deleted', 'bot.online', 'bot.starting', 'bot.created'],
    );
    assertRefused(await send(client, `GET /bots/${id}/events`), botNotFound);
  });
});

describe('200: pages and filters', () => {
  test('newest first, page by page, also while new ones come', async () => {
    const { id } = await onlineBot(fixture);
    await client.lifecycle('restart', id);
    await server.settle();
    const all = (await list(`/bots/${id}/events`)).events;
    assert.ok(all.length >= 5);
    assert.deepEqual(
      all,
      all.toSorted((one, other) => other.id - one.id),
    );
    const seen: BotEventData[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: EventListData = await list(`/bots/${id}/events?limit=2${cursor && `&cursor=${cursor}`}`);
      assert.ok(page.count >= all.length && page.events.length <= 2);
      if (cursor === '') await client.call('POST', '/bots/update', { bot_id: id, name: 'meanwhile' });
      seen.push(...page.events);
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen, all);
  });

  test('by type and by bot', async () => {
    const [one, other] = [await offlineBot(fixture), await offlineBot(fixture)];
    await client.call('POST', '/bots/update', { bot_id: one.id, name: 'renamed' });
    const updates = await list(`/bots/${one.id}/events?type=bot.updated`);
    assert.deepEqual([updates.count, updates.events.length, updates.next_cursor], [1, 1, null]);
    assert.equal((await list(`/events?bot_id=${other.id.toUpperCase()}`)).count, 1);
    const { events } = await list('/events?type=bot.created&limit=2');
    assert.deepEqual(
      events.map((event) => event.bot_id),
      [other.id, one.id],
    );
  });

  test("another user's events are not among them", async () => {
    const { id } = await offlineBot(fixture);
    assert.deepEqual(await list('/events', stranger), { events: [], count: 0, next_cursor: null });
    assert.equal((await list(`/events?bot_id=${id}`, stranger)).count, 0);
  });

  test('they are kept for 90 days', async () => {
    const { id } = await offlineBot(fixture);
    const age = (days: number) =>
      inDatabase(fixture, (db) =>
        db
          .updateTable('events')
          .set({ at: Date.now() - days * 24 * 3_600_000 })
          .where('bot_id', '=', id)
          .execute(),
      );
    await age(89);
    await server.runTask('prune-events');
    assert.equal((await list(`/bots/${id}/events`)).count, 1);
    await age(91);
    await server.runTask('prune-events');
    assert.equal((await list(`/bots/${id}/events`)).count, 0);
  });
});

describe('400, 404', () => {
  test('limit, cursor, type and bot_id are checked', async () => {
    const refused = async (query: string, field: string, fault: string) =>
      assertRefused(await send(client, `GET /events?${query}`), invalidInput(field, fault), query);
    await refused('limit=0', 'limit', 'must be a whole number between 1 and 100');
    for (const cursor of ['x', '5', Buffer.from('e').toString('base64url'), Buffer.from('e-1').toString('base64url')])
      await refused(`cursor=${cursor}`, 'cursor', 'is not valid');
    await refused('bot_id=5', 'bot_id', 'must be a UUID');
    const { body } = await send(client, 'GET /events?type=bot.sneezed');
    assert.match(body.error ?? '', /^type must be one of: bot\.created, /);
  });

  test('no such bot', async () => {
    assertRefused(await send(client, 'GET /bots/00000000-0000-4000-8000-000000000000/events'), botNotFound);
  });
});
