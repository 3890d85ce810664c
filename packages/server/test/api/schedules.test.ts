// GET and POST /bots/:id/schedules; POST /schedules/update, run and delete; GET /schedules/:id/runs
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BotelClient } from '@botel/contract/client';
import type { ScheduleData, ScheduleListData, ScheduleRunListData } from '@botel/contract/schedules';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { onlineBot } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, invalidInput, type Refusal, send } from './request.ts';

const scheduleNotFound: Refusal = { status: 404, code: 'schedule_not_found', error: 'Schedule not found' };
const unknownId = '00000000-0000-4000-8000-000000000000';
const nightly = { name: 'nightly', cron: '0 3 * * *', action: 'backup' };

let fixture: Fixture;
let client: BotelClient;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  client = fixture.client;
});

after(() => fixture[Symbol.asyncDispose]());

async function makeBot(): Promise<string> {
  return (await client.createBot({ ...goodBot, memory: 128 })).id;
}

function create(botId: string, more: object = {}): Promise<Answer<ScheduleData>> {
  return send(client, `POST /bots/${botId}/schedules`, { ...nightly, ...more });
}

async function made(more: object = {}): Promise<ScheduleData> {
  return (await create(await makeBot(), more)).body.data;
}

function update(id: string, change: object): Promise<Answer<ScheduleData>> {
  return send(client, 'POST /schedules/update', { schedule_id: id, ...change });
}

async function list(botId: string): Promise<ScheduleListData> {
  return (await client.call<ScheduleListData>('GET', `/bots/${botId}/schedules`)).data;
}

describe('201', () => {
  test('a schedule with all that can be said', async () => {
    const botId = await makeBot();
    const given = { timezone: 'Asia/Tokyo', enabled: false, keep: 3 };
    const { status, body } = await create(botId, { ...given, name: 'Every night – ü' });
    assert.deepEqual([status, body.message], [201, 'Schedule "Every night – ü" was created']);
    const { id, created_at, updated_at, ...rest } = body.data;
    assert.deepEqual(rest, {
      ...nightly,
      ...given,
      name: 'Every night – ü',
      bot_id: botId,
      next_run_at: null,
      last_run: null,
    });
    assert.equal(created_at, updated_at);
    assert.deepEqual(await list(botId), { schedules: [body.data], count: 1, next_cursor: null });
    assert.match(id, /^[0-9a-f-]{36}$/);
  });

  test('what is left out: UTC, enabled, all backups are kept; it comes next at its time', async () => {
    const { timezone, enabled, keep, next_run_at } = await made();
    assert.deepEqual([timezone, enabled, keep], ['UTC', true, null]);
    const next = Date.parse(next_run_at ?? '');
    const today = new Date().setUTCHours(3, 0, 0, 0);
    assert.ok(next === today || next === today + 24 * 60 * 60 * 1000, `${next_run_at}`);
  });

  test('every action, for every state of a bot', async () => {
    const { id } = await onlineBot(fixture);
    for (const action of ['backup', 'start', 'stop', 'restart', 'kill', 'reinstall'])
      assert.equal((await create(id, { action, name: action })).status, 201, action);
    const names = (await list(id)).schedules.map(({ name }) => name);
    assert.equal(names.length, 6);
    await client.lifecycle('kill', id);
  });
});

describe('200', () => {
  test('each field can be changed; the next time follows', async () => {
    const before = await made({ keep: 2 });
    const { body } = await update(before.id, { name: 'weekly', cron: '0 4 * * 1', timezone: 'Europe/Berlin', keep: 4 });
    assert.equal(body.message, 'Schedule "weekly" was updated');
    const changed = { name: 'weekly', cron: '0 4 * * 1', timezone: 'Europe/Berlin', keep: 4 };
    const { updated_at, next_run_at } = body.data;
    assert.deepEqual(body.data, { ...before, ...changed, updated_at, next_run_at });
    const local = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', weekday: 'short', timeStyle: undefined });
    assert.equal(local.format(new Date(next_run_at ?? '')), 'Mon');

    const off = (await update(before.id, { enabled: false })).body.data;
    assert.deepEqual([off.enabled, off.next_run_at], [false, null]);
    const on = (await update(before.id, { enabled: true, keep: 0 })).body.data;
    assert.deepEqual([on.enabled, on.next_run_at, on.keep], [true, next_run_at, null]);
    const other = (await update(before.id, { keep: 3 })).body.data;
    assert.equal((await update(before.id, { action: 'stop' })).body.data.keep, null);
    assert.equal(other.keep, 3);
    assert.deepEqual((await list(before.bot_id)).count, 1);
  });

  test('a change of the name leaves a run that is due as it is', async () => {
    const { id } = await made();
    await inDatabase(fixture, (db) =>
      db.updateTable('schedules').set({ next_run_at: 5 }).where('id', '=', id).execute(),
    );
    const { data } = (await update(id, { name: 'renamed' })).body;
    assert.equal(data.next_run_at, '1970-01-01T00:00:00.005Z');
    assert.notEqual((await update(id, { cron: '1 3 * * *' })).body.data.next_run_at, data.next_run_at);
  });

  test('a schedule is deleted; those of a deleted bot, too', async () => {
    const { id, bot_id } = await made();
    const { status, body } = await send<ScheduleData>(client, 'POST /schedules/delete', {
      schedule_id: id.toUpperCase(),
    });
    assert.deepEqual([status, body.data.id, body.message], [200, id, 'Schedule "nightly" was deleted']);
    assert.equal((await list(bot_id)).count, 0);
    const other = (await create(bot_id)).body.data;
    await client.deleteBot(bot_id);
    assertRefused(await update(other.id, { name: 'x' }), scheduleNotFound);
    await fixture.server.settle();
    const rows = await inDatabase(fixture, (db) =>
      db.selectFrom('schedules').select('id').where('bot_id', '=', bot_id).execute(),
    );
    assert.deepEqual(rows, []);
  });

  test('one that never ran has no runs', async () => {
    const { id } = await made();
    const { data } = await client.call<ScheduleRunListData>('GET', `/schedules/${id}/runs`);
    assert.deepEqual(data, { runs: [], count: 0, next_cursor: null });
  });
});

describe('400', () => {
  test('the fields of a new one', async () => {
    const botId = await makeBot();
    const actions = 'must be one of: backup, start, stop, restart, kill, reinstall';
    const faults: [object, Refusal][] = [
      [{ name: undefined }, invalidInput('name', 'is required')],
      [{ name: '' }, invalidInput('name', 'must be between 1 and 64 characters')],
      [{ name: 'a\nb' }, invalidInput('name', 'is not valid')],
      [{ cron: undefined }, invalidInput('cron', 'is required')],
      [{ cron: 5 }, invalidInput('cron', 'must be a string')],
      [{ cron: 'x'.repeat(101) }, invalidInput('cron', 'must be between 1 and 100 characters')],
      ...['* * * *', '* * * * * *', '@daily', '61 * * * *', '0 0 31 2 *', 'a b c d e'].map(
        (cron): [object, Refusal] => [{ cron }, invalidInput('cron', 'is not valid')],
      ),
      ...['Europe/Nowhere', '+02:00', 'UTC+1'].map((timezone): [object, Refusal] => [
        { timezone },
        invalidInput('timezone', 'is not valid'),
      ]),
      [{ action: undefined }, invalidInput('action', 'is required')],
      [{ action: 'exec' }, invalidInput('action', actions)],
      [{ enabled: 1 }, invalidInput('enabled', 'must be true or false')],
      [{ keep: 0 }, invalidInput('keep', 'must be a whole number between 1 and 8')],
      [{ keep: 9 }, invalidInput('keep', 'must be a whole number between 1 and 8')],
      [{ keep: '2' }, invalidInput('keep', 'must be a number')],
      [{ keep: 2, action: 'start' }, invalidInput('keep', 'is for backups only')],
    ];
    for (const [fault, refusal] of faults) assertRefused(await create(botId, fault), refusal, JSON.stringify(fault));
    assert.equal((await list(botId)).count, 0);
  });

  test('a change, and ids', async () => {
    const before = await made({ action: 'start' });
    assertRefused(await update(before.id, { cron: '* * *' }), invalidInput('cron', 'is not valid'));
    assertRefused(await update(before.id, { keep: 2 }), invalidInput('keep', 'is for backups only'));
    assertRefused(await update(before.id, { keep: 9 }), invalidInput('keep', 'must be a whole number between 0 and 8'));
    assert.deepEqual((await list(before.bot_id)).schedules, [before]);
    for (const url of ['update', 'run', 'delete']) {
      const line = `POST /schedules/${url}`;
      assertRefused(await send(client, line, {}), invalidInput('schedule_id', 'is required'));
      assertRefused(await send(client, line, { schedule_id: 'x' }), invalidInput('schedule_id', 'must be a UUID'));
    }
  });
});

describe('403', () => {
  test('a bot has twenty schedules at most', async () => {
    const botId = await makeBot();
    const answers = await Promise.all(Array.from({ length: 22 }, () => create(botId)));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 2);
    const refusal: Refusal = { status: 403, code: 'plan_limit', error: 'Plan limit reached: 20 of 20 schedules' };
    for (const answer of refused) assertRefused(answer, refusal);
    assert.equal((await list(botId)).count, 20);
    assert.equal((await create(await makeBot())).status, 201);
  });
});

describe('404', () => {
  test("unknown schedules and those of another user's bot, which stay as they are", async () => {
    const before = await made();
    const { stranger } = fixture;
    for (const id of [before.id, unknownId]) {
      for (const url of ['update', 'run', 'delete'])
        assertRefused(
          await send(stranger, `POST /schedules/${url}`, { schedule_id: id, name: 'x' }),
          scheduleNotFound,
          url,
        );
      assertRefused(await send(stranger, `GET /schedules/${id}/runs`), scheduleNotFound);
    }
    assertRefused(await send(client, 'GET /schedules/x/runs'), scheduleNotFound);
    assert.deepEqual((await list(before.bot_id)).schedules, [before]);
  });
});
