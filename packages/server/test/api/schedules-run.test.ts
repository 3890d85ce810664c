// What schedules do when they run: calls and backups, how many backups stay, and how failures are
// reported.
import { BackupRecords } from '../../src/core/store/backup-records.ts';
import { Database } from '../../src/core/store/database.ts';
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotelClient } from '@botel/contract/client';
import type { ScheduleData, ScheduleRunListData } from '@botel/contract/schedules';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { offlineBot, onlineBot } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { assertRefused, type Refusal, send } from './request.ts';

let fixture: Fixture;
let client: BotelClient;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  client = fixture.client;
});

after(() => fixture[Symbol.asyncDispose]());

async function makeBot(): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  await client.writeFile(id, 'index.js', 'x');
  return id;
}

async function schedule(botId: string, more: object = {}): Promise<ScheduleData> {
  const body = { name: 'nightly', cron: '0 3 * * *', action: 'backup', ...more };
  return (await client.call<ScheduleData>('POST', `/bots/${botId}/schedules`, body)).data;
}

async function runsOf({ id }: ScheduleData): Promise<ScheduleRunListData> {
  return (await client.call<ScheduleRunListData>('GET', `/schedules/${id}/runs`)).data;
}

/** Runs it now; resolves to the error of that run, null when it went well. */
async function run(of: ScheduleData): Promise<string | null> {
  const { count } = await runsOf(of);
  await client.call('POST', '/schedules/run', { schedule_id: of.id });
  return ended(of, count + 1);
}

/** The error of the newest run, once there are `count` and it is over. */
async function ended(of: ScheduleData, count: number): Promise<string | null> {
  const run = await until(async () => {
    const { runs } = await runsOf(of);
    return runs.length >= count && runs[0]?.ok !== null && runs[0];
  });
  assert.equal(run.ok, run.error === null);
  return run.error;
}

async function backups(botId: string): Promise<BackupData[]> {
  return (await client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data.backups;
}

async function names(botId: string): Promise<string[]> {
  return (await backups(botId)).map(({ name }) => name);
}

function backUp(botId: string, name: string): Promise<unknown> {
  return client.call('POST', `/bots/${botId}/backups`, { name });
}

async function newestEvent(botId: string) {
  const { data } = await client.call<EventListData>('GET', `/bots/${botId}/events?limit=1`);
  return data.events[0];
}

describe('when it is due', () => {
  test('it runs by itself, once, and then at its next time', async () => {
    const botId = await makeBot();
    const due = await schedule(botId, { cron: '* * * * *' });
    const at = Date.now() - 1;
    await inDatabase(fixture, (db) =>
      db.updateTable('schedules').set({ next_run_at: at }).where('id', '=', due.id).execute(),
    );
    await fixture.server.runTask('run-schedules');
    assert.equal(await ended(due, 1), null);
    await fixture.server.runTask('run-schedules');
    const { schedules } = (await client.call<{ schedules: ScheduleData[] }>('GET', `/bots/${botId}/schedules`)).data;
    assert.ok(Date.parse(schedules[0]?.next_run_at ?? '') > at);
    assert.deepEqual([schedules[0]?.last_run?.ok, (await runsOf(due)).count], [true, 1]);
    const [backup, ...others] = await backups(botId);
    assert.deepEqual([backup?.trigger, others], ['schedule', []]);
    assert.match(backup?.name ?? '', /^nightly \d{4}-\d\d-\d\d \d\d:\d\d$/);
    const event = await newestEvent(botId);
    assert.deepEqual(
      [event?.type, event?.detail],
      ['backup.completed', { backup_id: backup?.id, trigger: 'schedule' }],
    );
  });
});

describe('backups', () => {
  test('of the unlocked ones of the schedule as many stay as it says; no other one goes', async () => {
    const botId = await makeBot();
    await backUp(botId, 'by hand');
    const [one, other] = [await schedule(botId, { keep: 2 }), await schedule(botId, { name: 'other' })];
    for (const each of [one, other, other, one, one]) assert.equal(await run(each), null);
    const kept = await backups(botId);
    assert.deepEqual(
      kept.map(({ name }) => name.split(' ')[0]),
      ['nightly', 'nightly', 'other', 'other', 'by'],
    );
    assert.equal(new Set(kept.map(({ name }) => name)).size, 5);

    const oldest = kept[1];
    await client.call('POST', '/backups/lock', { backup_id: oldest?.id, locked: true });
    for (let count = 0; count < 3; count++) assert.equal(await run(one), null);
    const ids = (await backups(botId)).map(({ id }) => id);
    assert.deepEqual([ids.length, ids.includes(oldest?.id ?? ''), ids.includes(kept[0]?.id ?? '')], [6, true, false]);
    assert.equal(readdirSync(join(fixture.directory, 'backups', botId)).length, 6);

    await client.call('POST', '/schedules/update', { schedule_id: one.id, keep: 1 });
    await run(one);
    assert.equal((await backups(botId)).length, 5);
    await client.call('POST', '/schedules/delete', { schedule_id: one.id });
    assert.equal((await backups(botId)).length, 5);
  });

  test('one that is locked while the next one is made stays', async () => {
    const botId = await makeBot();
    await run(await schedule(botId));
    const [old] = await backups(botId);
    assert.ok(old);
    const database = await Database.open(fixture.directory);
    const instead = await new BackupRecords(database).ofBot(botId);
    const bot = await database.db.selectFrom('bots').select('owner_id').where('id', '=', botId).executeTakeFirst();
    await database.close();
    const owner = { userId: bot?.owner_id ?? '', sessionId: '', role: 'user' } as const;
    await client.call('POST', '/backups/lock', { backup_id: old.id, locked: true });
    const wanted = { name: 'next', trigger: 'schedule' as const, userId: owner.userId, instead };
    const { backups: service } = fixture.server.agent.services;
    await service.keep(await fixture.server.services.bots.own(owner, botId), wanted, new AbortController().signal);
    assert.deepEqual(await names(botId), ['next', old.name]);
    assert.equal(readdirSync(join(fixture.directory, 'backups', botId)).length, 2);
  });

  test('keep 8 goes on for ever', async () => {
    const botId = await makeBot();
    const daily = await schedule(botId, { keep: 8 });
    for (let count = 0; count < 10; count++) assert.equal(await run(daily), null);
    assert.equal((await backups(botId)).length, 8);
  });

  test('with all places taken by others it fails, says so, and deletes nothing', async () => {
    const botId = await makeBot();
    const daily = await schedule(botId, { keep: 2 });
    await run(daily);
    for (let count = 1; count <= 7; count++) await backUp(botId, `number ${count}`);
    const before = await names(botId);
    assert.equal(await run(daily), 'Backup limit reached: 8 of 8');
    assert.deepEqual(await names(botId), before);
    const event = await newestEvent(botId);
    assert.deepEqual(
      [event?.type, event?.message, event?.actor.kind, event?.detail],
      [
        'schedule.failed',
        'Schedule "nightly": Backup limit reached: 8 of 8',
        'system',
        { schedule_id: daily.id, action: 'backup', error: 'Backup limit reached: 8 of 8' },
      ],
    );
  });

  test('a fault of ours leaves the old ones, and no part of a new one', async () => {
    const botId = await makeBot();
    const daily = await schedule(botId, { keep: 1 });
    await run(daily);
    const before = await names(botId);
    const home = join(fixture.directory, 'homes', botId);
    rmSync(home, { recursive: true });
    writeFileSync(home, 'no folder');
    assert.equal(await run(daily), 'Something went wrong on the server');
    assert.deepEqual(await names(botId), before);
    assert.equal(readdirSync(join(fixture.directory, 'backups', botId)).length, 1);
  });
});

describe('calls', () => {
  test('start, restart, stop and kill are the wishes of the owner', async () => {
    const { id } = await offlineBot(fixture);
    for (const [action, status] of [
      ['start', 'online'],
      ['restart', 'online'],
      ['stop', 'offline'],
      ['start', 'online'],
      ['kill', 'offline'],
    ] as const) {
      const { generation } = await client.bot(id);
      assert.equal(await run(await schedule(id, { action })), null, action);
      await fixture.server.settle();
      const bot = await client.bot(id);
      assert.deepEqual([bot.status, bot.generation], [status, generation + 1], action);
    }
  });

  test('reinstall builds an offline bot, and fails for another one', async () => {
    const { id } = await onlineBot(fixture);
    const reinstall = await schedule(id, { action: 'reinstall' });
    assert.equal(await run(reinstall), 'Bot must be offline');
    await client.lifecycle('kill', id);
    await fixture.server.settle();
    assert.equal(await run(reinstall), null);
  });

  test('a bot that is already what the schedule wants is no failure', async () => {
    const { id } = await onlineBot(fixture);
    assert.equal(await run(await schedule(id, { action: 'start' })), null);
    await client.lifecycle('kill', id);
    await fixture.server.settle();
    for (const action of ['stop', 'kill']) assert.equal(await run(await schedule(id, { action })), null, action);
  });
});

describe('POST /schedules/run', () => {
  test('200: at once, also for one that is not enabled', async () => {
    const botId = await makeBot();
    const off = await schedule(botId, { enabled: false });
    const { status, body } = await send(client, 'POST /schedules/run', { schedule_id: off.id });
    assert.deepEqual([status, body.data, body.message], [200, off, 'Schedule "nightly" is being run']);
    assert.equal(await ended(off, 1), null);
    assert.equal((await names(botId)).length, 1);
  });

  test('409: while it runs', async () => {
    const botId = await makeBot();
    const daily = await schedule(botId);
    await run(daily);
    const set = (ok: number | null) =>
      inDatabase(fixture, (db) =>
        db.updateTable('schedule_runs').set({ ok }).where('schedule_id', '=', daily.id).execute(),
      );
    await set(null);
    const busy: Refusal = { status: 409, code: 'bot_busy', error: 'Bot is busy: backup' };
    assertRefused(await send(client, 'POST /schedules/run', { schedule_id: daily.id }), busy);
    await set(1);
    assert.equal(await run(daily), null);
  });
});

describe('at a start', () => {
  test('a run that was cut off is closed', async () => {
    const botId = await makeBot();
    const daily = await schedule(botId, { enabled: false });
    await run(daily);
    await inDatabase(fixture, (db) =>
      db.updateTable('schedule_runs').set({ ok: null }).where('schedule_id', '=', daily.id).execute(),
    );
    writeFileSync(join(fixture.directory, 'backups', botId, 'cut-off.tar.gz.new'), '');
    await fixture.server.agent.services.backups.recover();
    await fixture.server.agent.scheduleRunner.recover();
    const { runs } = await runsOf(daily);
    assert.deepEqual(
      runs.map(({ ok, error }) => [ok, error]),
      [[false, 'Cut off by the end of Botel']],
    );
    assert.equal(readdirSync(join(fixture.directory, 'backups', botId)).length, 1);
  });
});
