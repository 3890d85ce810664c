// POST /backups/restore: what comes back, what is refused while it works, and what it leaves when
// it fails.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotData } from '@botel/contract/bots';
import type { BotelClient } from '@botel/contract/client';
import type { LogHistoryData } from '@botel/contract/logs';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { onlineBot, settled, stoppingBot, waitingBot } from './bot-states.ts';
import { type Answer, assertRefused, type Refusal, send } from './request.ts';

const notOffline: Refusal = { status: 409, code: 'bot_not_offline', error: 'Bot must be offline' };
const restoring: Refusal = { status: 409, code: 'bot_busy', error: 'Bot is busy: restoring' };

let fixture: Fixture;
let client: BotelClient;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  client = fixture.client;
});

after(() => fixture[Symbol.asyncDispose]());

async function makeBot(): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, memory: 128, environment: { TOKEN: 'old' } });
  await client.writeFile(id, 'index.js', 'old');
  return id;
}

async function backUp(botId: string, name = 'backup'): Promise<BackupData> {
  return (await client.call<BackupData>('POST', `/bots/${botId}/backups`, { name })).data;
}

async function backups(botId: string): Promise<BackupData[]> {
  return (await client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data.backups;
}

function restore(backup: { id: string }, more: object = {}): Promise<Answer<{ status: string }>> {
  return send(client, 'POST /backups/restore', { backup_id: backup.id, ...more });
}

/** The bot once nothing is restored any more. */
function restored(botId: string): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(botId);
    return bot.phase !== 'restoring' && bot;
  });
}

function home(botId: string, ...path: string[]): string {
  return join(fixture.directory, 'homes', botId, ...path);
}

function backupPath(botId: string, { id }: { id: string }): string {
  return join(fixture.directory, 'backups', botId, `${id}.tar.gz`);
}

async function lastLine(botId: string): Promise<string> {
  const { data } = await client.call<LogHistoryData>('GET', `/bots/${botId}/logs?limit=1`);
  const [line] = data.lines;
  return line && 'text' in line ? line.text : '';
}

/** Begins a restore and keeps it waiting for the bytes of the backup; what is returned lets it go
 * on. */
async function held(botId: string, backup: BackupData, more: object = {}): Promise<() => Promise<BotData>> {
  const path = backupPath(botId, backup);
  renameSync(path, `${path}.kept`);
  execFileSync('mkfifo', [path]);
  assert.equal((await restore(backup, more)).status, 200);
  return async () => {
    const fifo = openSync(path, 'r+');
    renameSync(`${path}.kept`, path);
    writeSync(fifo, readFileSync(path));
    closeSync(fifo);
    return restored(botId);
  };
}

describe('200', () => {
  test('files and settings are those of the backup; what was there becomes a safety backup', async () => {
    const botId = await makeBot();
    const policy = { mode: 'always', max_retries: 7, backoff_max_seconds: 20 };
    const stop = { signal: 'SIGINT', grace_seconds: 7 };
    await client.call('POST', '/bots/update', {
      bot_id: botId,
      restart_policy: policy,
      stop,
      network: 'none',
      stdin: true,
    });
    const before = await client.bot(botId);
    const backup = await backUp(botId);

    await client.writeFile(botId, 'index.js', 'new');
    await client.writeFile(botId, 'added/later.js', '');
    await client.call('POST', '/bots/update', {
      bot_id: botId,
      name: 'renamed',
      memory: 256,
      startup_command: 'node other.js',
      restart_policy: { mode: 'never' },
      network: 'internet',
      stdin: false,
      stop: { signal: 'SIGTERM', grace_seconds: 1 },
    });
    await client.call('PUT', `/bots/${botId}/env`, { environment: { TOKEN: 'new', MORE: '1' } });

    const { status, body } = await restore(backup);
    assert.equal(status, 200);
    const message = 'Backup "backup" is being restored';
    assert.deepEqual(body, { success: true, data: { status: 'offline' }, message });
    const bot = await restored(botId);
    assert.deepEqual(readdirSync(home(botId)), ['index.js']);
    assert.equal(readFileSync(home(botId, 'index.js'), 'utf8'), 'old');
    const fields = [
      'name',
      'memory',
      'startup_command',
      'restart_policy',
      'stop',
      'network',
      'stdin',
      'environment_keys',
    ] as const;
    for (const field of fields) assert.deepEqual(bot[field], before[field], field);
    const { data } = await client.call<{ environment: object }>('GET', `/bots/${botId}/env`);
    assert.deepEqual(data.environment, { TOKEN: 'old' });
    assert.equal(await lastLine(botId), 'Backup "backup" was restored');

    const { data: told } = await client.call<EventListData>('GET', `/bots/${botId}/events?limit=5`);
    const types = told.events.map(({ type }) => type).filter((type) => type !== 'env.read');
    assert.deepEqual(types.slice(0, 2), ['backup.restored', 'backup.completed']);
    assert.equal(told.events.find(({ type }) => type === 'backup.restored')?.detail.backup_id, backup.id);

    const [safety] = await backups(botId);
    assert.ok(safety?.trigger === 'safety' && safety.name.startsWith('Before restore '), safety?.name);
    assert.equal((await restore(safety, { safety_backup: false })).status, 200);
    assert.equal((await restored(botId)).name, 'renamed');
    assert.equal(readFileSync(home(botId, 'index.js'), 'utf8'), 'new');
    assert.equal((await backups(botId)).length, 2);
  });

  test('it is offline and restoring meanwhile; the bot then starts', async () => {
    const botId = await makeBot();
    const release = await held(botId, await backUp(botId), { safety_backup: false });
    const bot = await client.bot(botId);
    assert.deepEqual([bot.status, bot.phase], ['offline', 'restoring']);
    assert.equal((await release()).phase, null);
    await client.lifecycle('start', botId);
    await settled(fixture, botId, 'online');
  });

  test('a retry that is due meanwhile waits', async () => {
    const { id } = await waitingBot(fixture);
    const release = await held(id, await backUp(id), { safety_backup: false });
    // The first retry is due after a second.
    await until(async () => Date.now() > Date.parse((await client.bot(id)).next_restart_at ?? '') + 100);
    const { status, phase } = await client.bot(id);
    assert.deepEqual([status, phase], ['offline', 'restoring']);
    await release();
    await until(async () => (await client.bot(id)).status === 'online');
  });

  test('memory that the plan no longer has is not taken', async () => {
    const botId = await makeBot();
    await client.call('POST', '/bots/update', { bot_id: botId, memory: 1024 });
    const backup = await backUp(botId);
    await client.call('POST', '/bots/update', { bot_id: botId, memory: 128 });
    const { memory } = await client.usage();
    const filler = await client.createBot({ ...goodBot, memory: memory.available_mb - 500 });
    await restore(backup);
    assert.equal((await restored(botId)).memory, 128);
    assert.equal(await lastLine(botId), 'Backup "backup" was restored');
    await client.deleteBot(filler.id);
    await restore(backup);
    assert.equal((await restored(botId)).memory, 1024);
    await client.call('POST', '/bots/update', { bot_id: botId, memory: 128 });
  });

  test('with all places taken a safety backup takes that of the oldest one that is not locked', async () => {
    const botId = await makeBot();
    const backup = await backUp(botId);
    for (let count = 0; count < 7; count++) {
      await restore(backup);
      await restored(botId);
    }
    const before = await backups(botId);
    assert.equal(before.length, 8);
    const oldest = before.at(-2);
    await client.call('POST', '/backups/lock', { backup_id: oldest?.id, locked: true });
    await restore(backup);
    await restored(botId);
    const ids = (await backups(botId)).map(({ id }) => id);
    assert.equal(ids.length, 8);
    assert.ok(ids.includes(oldest?.id ?? '') && !ids.includes(before.at(-3)?.id ?? ''));
    assert.equal(readdirSync(join(fixture.directory, 'backups', botId)).length, 8);
  });

  test('a damaged backup is not restored: the bot stays as it is, and its log says so', async () => {
    const botId = await makeBot();
    const backup = await backUp(botId);
    await client.writeFile(botId, 'index.js', 'new');
    appendFileSync(backupPath(botId, backup), 'x');
    assert.equal((await restore(backup)).status, 200);
    await restored(botId);
    assert.equal(readFileSync(home(botId, 'index.js'), 'utf8'), 'new');
    assert.match(await lastLine(botId), /^Backup "backup" was not restored: the file is damaged/);
    assert.equal((await backups(botId)).length, 1);
  });
});

describe('403', () => {
  test('no place for the safety backup; without one it works', async () => {
    const botId = await makeBot();
    const backup = await backUp(botId);
    for (let count = 1; count < 8; count++) await backUp(botId, `number ${count}`);
    const refusal: Refusal = { status: 403, code: 'backup_limit', error: 'Backup limit reached: 8 of 8' };
    assertRefused(await restore(backup), refusal);
    assert.equal((await restore(backup, { safety_backup: false })).status, 200);
    await restored(botId);
  });
});

describe('409', () => {
  test('unless the bot is offline', async () => {
    for (const make of [onlineBot, stoppingBot]) {
      const { id } = await make(fixture);
      const backup = await backUp(id);
      assertRefused(await restore(backup), notOffline);
      await client.lifecycle('kill', id);
    }
  });

  test('while it works: lifecycle calls but stop, changes of files, backups', async () => {
    const botId = await makeBot();
    const backup = await backUp(botId);
    const release = await held(botId, backup);
    const ofBot = { bot_id: botId };
    const ofBackup = { backup_id: backup.id };
    const calls: [string, unknown?][] = [
      ['POST /bots/start', ofBot],
      ['POST /bots/restart', ofBot],
      ['POST /bots/reinstall', ofBot],
      ['POST /bots/delete', { ...ofBot, force: true }],
      ['POST /backups/restore', ofBackup],
      ['POST /backups/delete', ofBackup],
      [`POST /bots/${botId}/backups`, { name: 'another' }],
      [`POST /bots/${botId}/files/mkdir`, { path: 'a' }],
      [`POST /bots/${botId}/files/delete`, { paths: ['index.js'] }],
      [`POST /bots/${botId}/files/move`, { from: 'index.js', to: 'b' }],
    ];
    for (const [line, body] of calls) assertRefused(await send(client, line, body), restoring, line);
    const write = `PUT /bots/${botId}/files/content?path=a`;
    const bytes = { 'Content-Type': 'application/octet-stream' };
    assertRefused(await send(client, write, 'text', bytes), restoring);
    assert.equal((await send(client, `GET /bots/${botId}/files`)).status, 200);
    assert.equal((await send(client, 'POST /bots/update', { ...ofBot, name: 'meanwhile' })).status, 200);
    await release();
    assert.equal((await send(client, write, 'text', bytes)).status, 200);
    assert.equal((await send(client, 'POST /bots/delete', ofBot)).status, 200);
  });
});
