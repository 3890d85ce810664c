// Row 32 and its siblings: the server is killed at a known step of an upload, a backup, a restore,
// a schedule: afterwards there is the old or the new, whole, and nothing is left beside it.
// Failpoints that fail instead of killing.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { ScheduleRunListData } from '@botel/contract/schedules';
import { namesIn, type KillableServer, startKillable } from '../../packages/server/test/api/kills/killable-server.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { waitForBot } from '../docker/bots.ts';

const files = 30;
let server: KillableServer;
let botId = '';

before(async () => {
  server = await startKillable();
  ({ id: botId } = await server.client.createBot({ ...goodBot, startup_command: 'run' }));
});

after(() => server?.[Symbol.asyncDispose]());

const home = () => join(server.directory, 'homes', botId);

/** Which tree is there: each file says it, and all must say the same. */
function side(): string {
  const texts = namesIn(home()).map((name) => readFileSync(join(home(), name), 'utf8'));
  assert.equal(texts.length, files);
  assert.equal(new Set(texts).size, 1, 'files of two sides');
  return texts[0]!;
}

async function upload(text: string): Promise<number> {
  const body = new FormData();
  for (let i = 0; i < files; i++) body.append('files', new Blob([text]), `file-${i}`);
  const response = await server.client.fetch('POST', `/bots/${botId}/files/upload?mirror=true`, { body });
  await response.arrayBuffer();
  return response.status;
}

function writeHome(text: string): void {
  mkdirSync(home(), { recursive: true });
  for (let i = 0; i < files; i++) writeFileSync(join(home(), `file-${i}`), text);
}

async function backUp(name: string): Promise<BackupData> {
  return (await server.client.call<BackupData>('POST', `/bots/${botId}/backups`, { name })).data;
}

async function backups(): Promise<string[]> {
  const { data } = await server.client.call<BackupListData>('GET', `/bots/${botId}/backups`);
  return data.backups.map(({ name }) => name);
}

test('row 32: an upload', async () => {
  writeHome('old');
  for (const failpoint of ['upload.journal', 'upload.step', 'upload.step:kill:17', 'upload.done']) {
    await server.arm(failpoint);
    await assert.rejects(upload(failpoint));
    await server.dies();
    await server.restart();
    // Decided is done.
    assert.equal(side(), failpoint);
    assert.deepEqual(namesIn(server.directory, 'staging'), []);
  }
});

test('row 32: an upload of which a step fails is taken back', async () => {
  writeHome('old');
  await server.arm('upload.step:throw:9');
  assert.equal(await upload('new'), 500);
  assert.equal(side(), 'old');
  assert.deepEqual(namesIn(server.directory, 'staging'), []);
  assert.equal(await upload('new'), 200);
  assert.equal(side(), 'new');
});

test('row 40: a backup', async () => {
  for (const failpoint of ['backup.written', 'backup.named']) {
    await server.arm(failpoint);
    await assert.rejects(backUp('cut off'));
    await server.dies();
    await server.restart();
    assert.deepEqual(await backups(), []);
    assert.deepEqual(namesIn(server.directory, 'backups', botId), []);
  }
});

test('row 40: a restore', async () => {
  writeHome('saved');
  const { id } = await backUp('saved');
  for (const failpoint of ['restore.journal', 'restore.moved', 'restore.exchanged']) {
    writeHome('changed');
    await server.client.call('POST', '/bots/update', { bot_id: botId, name: 'changed' });
    await server.arm(failpoint);
    await server.client.call('POST', '/backups/restore', { backup_id: id, safety_backup: false });
    await server.dies();
    await server.restart();
    await waitForBot(server.client, botId, ({ phase }) => phase !== 'restoring');
    assert.equal(side(), 'saved', failpoint);
    assert.equal((await server.client.bot(botId)).name, goodBot.name, failpoint);
    assert.deepEqual(namesIn(server.directory, 'restoring'), []);
  }
});

test('a due run of a schedule is told once, whether it was carried out or not', async () => {
  const input = { name: 'stop', cron: '0 0 1 1 *', action: 'restart' };
  const { data } = await server.client.call<{ id: string }>('POST', `/bots/${botId}/schedules`, input);
  for (const [index, failpoint] of ['schedule.claimed', 'schedule.done'].entries()) {
    const { generation } = await server.client.bot(botId);
    await server.arm(failpoint);
    await server.client.call('POST', '/schedules/run', { schedule_id: data.id }).catch(() => null);
    await server.dies();
    await server.restart();
    const runs = await until(async () => {
      const answer = await server.client.call<ScheduleRunListData>('GET', `/schedules/${data.id}/runs`);
      return answer.data.runs.every(({ ok }) => ok !== null) && answer.data.runs;
    });
    assert.deepEqual([runs.length, runs[0]?.ok], [index + 1, false]);
    assert.equal((await server.client.bot(botId)).generation, generation + index);
  }
});

test('a step of the reconciler that fails is tried again', async () => {
  const { id } = await server.client.createBot({ ...goodBot, startup_command: 'run' });
  for (const failpoint of [
    'before.begin:throw',
    'create.ready:throw',
    'after.start:throw',
    'before.record_running:throw',
  ]) {
    await server.arm(failpoint);
    await server.client.lifecycle('restart', id);
    const { generation } = await server.client.bot(id);
    const bot = await waitForBot(server.client, id, ({ status }) => status === 'online');
    assert.deepEqual([bot.generation, bot.status_reason], [generation, null], failpoint);
  }
});
