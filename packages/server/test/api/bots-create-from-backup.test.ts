// POST /bots/create-from-backup: a new bot like the backed-up one except for its id, or no bot.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BackupData } from '@botel/contract/backups';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotData, CreatedBotData } from '@botel/contract/bots';
import type { BotelClient } from '@botel/contract/client';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { onlineBot, settled } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, invalidInput, type Refusal, send } from './request.ts';

const backupNotFound: Refusal = { status: 404, code: 'backup_not_found', error: 'Backup not found' };
const unknownId = '00000000-0000-4000-8000-000000000000';

let fixture: Fixture;
let client: BotelClient;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '6' });
  client = fixture.client;
});

after(() => fixture[Symbol.asyncDispose]());

async function backedUp(who = client): Promise<{ bot: BotData; backup: BackupData }> {
  const { id } = await who.createBot({ ...goodBot, memory: 128, environment: { TOKEN: 'secret', EMPTY: '' } });
  await who.writeFile(id, 'src/index.js', 'console.log(1)');
  const { data: backup } = await who.call<BackupData>('POST', `/bots/${id}/backups`, { name: 'nightly' });
  return { bot: await who.bot(id), backup };
}

function copy(backup: { id: string }, more: object = {}): Promise<Answer<CreatedBotData>> {
  return send(client, 'POST /bots/create-from-backup', { backup_id: backup.id, ...more });
}

function home(botId: string, ...path: string[]): string {
  return join(fixture.directory, 'homes', botId, ...path);
}

/** What is in the data folder of bots and of what is being restored. */
function left(): string[] {
  return ['homes', 'restoring', 'staging'].flatMap((name) => readdirSync(join(fixture.directory, name)));
}

async function removeAll(): Promise<void> {
  for (const { id } of await client.bots()) await client.call('POST', '/bots/delete', { bot_id: id, force: true });
  await fixture.server.settle();
}

describe('201', () => {
  test('files, settings and variables are those of the backup; the bot is new, offline', async () => {
    const { bot } = await backedUp();
    await client.call('POST', '/bots/update', {
      bot_id: bot.id,
      build_command: 'make',
      restart_policy: { mode: 'always', max_retries: 7, backoff_max_seconds: 20 },
      stop: { signal: 'SIGINT', grace_seconds: 7 },
      network: 'none',
      stdin: true,
      runtime_version: '22',
      packages: ['jq'],
    });
    const { data: second } = await client.call<BackupData>('POST', `/bots/${bot.id}/backups`, { name: 'second' });
    const source = await client.bot(bot.id);
    // What comes later is not in it.
    await client.writeFile(bot.id, 'src/index.js', 'changed');
    await client.call('PUT', `/bots/${bot.id}/env`, { environment: { TOKEN: 'changed' } });

    const { status, body } = await copy(second);
    const { id } = body.data;
    assert.equal(status, 201);
    assert.deepEqual(body, {
      success: true,
      data: {
        id,
        name: 'greeter',
        language: 'nodejs',
        memory: 128,
        vcpu: 0.25,
        status: 'offline',
        startup_command: 'node index.js',
      },
      message: 'Bot "greeter" was created from backup "second". Use POST /bots/start to run it.',
    });
    assert.notEqual(id, bot.id);
    const made = await client.bot(id);
    const fields = ['restart_policy', 'stop', 'network', 'stdin', 'build_command', 'environment_keys'] as const;
    for (const field of [...fields, 'runtime_version', 'packages'] as const)
      assert.deepEqual(made[field], source[field], field);
    assert.deepEqual([made.generation, made.run, made.phase], [0, 0, null]);
    assert.equal(readFileSync(home(id, 'src/index.js'), 'utf8'), 'console.log(1)');
    const { data } = await client.call<{ environment: object }>('GET', `/bots/${id}/env`);
    assert.deepEqual(data.environment, { TOKEN: 'secret', EMPTY: '' });
    const { data: told } = await client.call<EventListData>('GET', `/bots/${id}/events?type=bot.created`);
    const message = 'Bot "greeter" was created from backup "second"';
    assert.deepEqual(
      told.events.map((event) => [event.type, event.message, event.detail]),
      [['bot.created', message, { backup_id: second.id }]],
    );

    if (process.geteuid?.() === 0) assert.notEqual(lstatSync(home(id)).uid, lstatSync(home(bot.id)).uid);
    await client.call('POST', '/bots/delete', { bot_id: bot.id });
    await fixture.server.settle();
    assert.equal(readFileSync(home(id, 'src/index.js'), 'utf8'), 'console.log(1)');
    assert.equal(existsSync(home(bot.id)), false);
    await removeAll();
  });

  test('with a name and a memory of its own, and it starts; the bot of the backup may run meanwhile', async () => {
    const { id } = await onlineBot(fixture);
    const { data: backup } = await client.call<BackupData>('POST', `/bots/${id}/backups`, { name: 'nightly' });
    const { body } = await copy(backup, { name: 'other', memory: 512 });
    assert.deepEqual([body.data.name, body.data.memory, body.data.vcpu], ['other', 512, 1]);
    assert.equal((await client.bot(id)).status, 'online');
    await client.lifecycle('start', body.data.id);
    await settled(fixture, body.data.id, 'online');
    await removeAll();
  });
});

describe('400', () => {
  test('the fields', async () => {
    const line = 'POST /bots/create-from-backup';
    assertRefused(await send(client, line, {}), invalidInput('backup_id', 'is required'));
    assertRefused(await send(client, line, { backup_id: 'x' }), invalidInput('backup_id', 'must be a UUID'));
    const characters = 'may contain only letters, numbers, underscores and hyphens';
    assertRefused(await copy({ id: unknownId }, { name: 'a b' }), invalidInput('name', characters));
    const whole = 'must be a whole number of MB, at least 128';
    assertRefused(await copy({ id: unknownId }, { memory: 127 }), invalidInput('memory', whole));
  });
});

describe('403', () => {
  test('memory and number of bots of the plan, in that order; nothing is left', async () => {
    const { bot, backup } = await backedUp();
    const { memory } = await client.usage();
    const tooMuch = memory.available_mb + 1;
    const insufficient: Refusal = {
      status: 403,
      code: 'insufficient_memory',
      error: `Insufficient memory: need ${tooMuch}MB, only ${memory.available_mb}MB available`,
    };
    assertRefused(await copy(backup, { memory: tooMuch }), insufficient);
    for (let count = 1; count < 6; count++) assert.equal((await copy(backup)).status, 201);
    const full: Refusal = { status: 403, code: 'plan_limit', error: 'Plan limit reached: 6 of 6 bots' };
    assertRefused(await copy(backup), full);
    const { memory: now } = await client.usage();
    const stillTooMuch = now.available_mb + 1;
    const error = `Insufficient memory: need ${stillTooMuch}MB, only ${now.available_mb}MB available`;
    assertRefused(await copy(backup, { memory: stillTooMuch }), { ...insufficient, error });
    const ids = (await client.bots()).map(({ id }) => id);
    assert.deepEqual(left().toSorted(), ids.toSorted());
    assert.ok(ids.includes(bot.id));
    await removeAll();
  });

  test('as many at once as there is room for', async () => {
    const { backup } = await backedUp();
    const answers = await Promise.all(Array.from({ length: 8 }, () => copy(backup)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    const full: Refusal = { status: 403, code: 'plan_limit', error: 'Plan limit reached: 6 of 6 bots' };
    for (const answer of answers.filter(({ status }) => status !== 201)) assertRefused(answer, full);
    assert.equal(left().length, 6);
    await removeAll();
  });

  test('files that the plan has no room for', async () => {
    const { backup } = await backedUp();
    const before = left();
    const setDisk = (disk_mb: number) =>
      inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb }).execute());
    await setDisk(0);
    const full: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 0MB of 0MB' };
    assertRefused(await copy(backup), full);
    await setDisk(10_240);
    assert.deepEqual([left(), (await client.bots()).length], [before, 1]);
    await removeAll();
  });
});

describe('404', () => {
  test("unknown backups and those of another user's bots", async () => {
    const { bot, backup } = await backedUp(fixture.stranger);
    for (const id of [backup.id, unknownId]) assertRefused(await copy({ id }), backupNotFound);
    assert.deepEqual(await client.bots(), []);
    await fixture.stranger.deleteBot(bot.id);
  });
});

describe('409', () => {
  test('a backup whose file is damaged or missing', async () => {
    const { bot, backup } = await backedUp();
    const before = left();
    const path = join(fixture.directory, 'backups', bot.id, `${backup.id}.tar.gz`);
    appendFileSync(path, 'x');
    const damaged: Refusal = { status: 409, code: 'backup_damaged', error: 'Backup is damaged' };
    assertRefused(await copy(backup), damaged);
    assert.deepEqual([left(), (await client.bots()).length], [before, 1]);
    await removeAll();
  });
});

describe('at a start', () => {
  test('a home whose bot was not recorded is gone; that of a recorded one stays', async () => {
    const { bot } = await backedUp();
    for (const id of [bot.id, unknownId]) {
      const stage = join(fixture.directory, 'restoring', id);
      mkdirSync(stage);
      writeFileSync(join(stage, 'journal'), JSON.stringify({ botId: id, settings: null }));
    }
    mkdirSync(home(unknownId, 'src'), { recursive: true });
    assert.deepEqual(await fixture.server.agent.services.restores.recover(), []);
    assert.deepEqual(left(), [bot.id]);
    assert.equal(readFileSync(home(bot.id, 'src/index.js'), 'utf8'), 'console.log(1)');
    await removeAll();
  });
});
