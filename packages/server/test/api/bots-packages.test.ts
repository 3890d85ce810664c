// Packages of bots: POST /bots/update and GET /runtimes by status, what runs then, and what a
// backup keeps of them.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BotData, RuntimesData } from '@botel/contract/bots';
import type { LogHistoryData } from '@botel/contract/logs';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { assertRefused, invalidInput, send } from './request.ts';

const fixture = await startFixture({ BOTEL_PACKAGES: 'sqlite3, jq,ffmpeg,jq' });
after(() => fixture[Symbol.asyncDispose]());
const { client, machine } = fixture;

async function update(botId: string, packages: unknown): Promise<BotData> {
  return (await client.call<BotData>('POST', '/bots/update', { bot_id: botId, packages })).data;
}

function online(botId: string): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(botId);
    return bot.status === 'online' && bot;
  });
}

function imageOf(botId: string): string | undefined {
  return machine.containers().find((container) => container.botId === botId)?.spec?.imageId;
}

describe('200', () => {
  test('GET /runtimes names what the operator allows', async () => {
    const { data } = await fixture.guest.call<RuntimesData>('GET', '/runtimes');
    assert.deepEqual(data.packages, ['ffmpeg', 'jq', 'sqlite3']);
  });

  test('packages are kept sorted and once, need a restart, and then the bot runs in an image that has them', async () => {
    const { id } = await client.createBot({ ...goodBot });
    assert.deepEqual((await client.bot(id)).packages, []);
    await client.lifecycle('start', id);
    await online(id);
    assert.equal(imageOf(id), machine.findImage('nodejs', '24'));

    const changed = await update(id, ['sqlite3', 'jq', 'sqlite3']);
    assert.deepEqual([changed.packages, changed.needs_restart], [['jq', 'sqlite3'], true]);
    await client.lifecycle('restart', id);
    const bot = await online(id);
    assert.deepEqual([bot.packages, bot.needs_restart], [['jq', 'sqlite3'], false]);
    assert.equal(imageOf(id), machine.findImage('nodejs', '24', ['jq', 'sqlite3']));
    const { data } = await client.call<LogHistoryData>('GET', `/bots/${id}/logs?stream=system`);
    const texts = data.lines.map((line) => ('text' in line ? line.text : ''));
    assert.ok(texts.includes('Preparing the runtime nodejs 24 with jq, sqlite3 (first use on this machine)'));
    const { data: events } = await client.call<{ events: { type: string; detail: unknown }[] }>(
      'GET',
      `/bots/${id}/events?type=bot.updated`,
    );
    assert.deepEqual(events.events[0]?.detail, { fields: ['packages'] });

    assert.deepEqual((await update(id, [])).packages, []);
    await client.deleteBot(id, true);
  });

  test('another update leaves them alone', async () => {
    const { id } = await client.createBot({ ...goodBot });
    await update(id, ['jq']);
    const { data } = await client.call<BotData>('POST', '/bots/update', { bot_id: id, name: 'other', packages: null });
    assert.deepEqual([data.name, data.packages], ['other', ['jq']]);
    await client.deleteBot(id);
  });

  test('a restore brings them back', async () => {
    const { id } = await client.createBot({ ...goodBot });
    await update(id, ['ffmpeg']);
    const { data: backup } = await client.call<{ id: string }>('POST', `/bots/${id}/backups`, { name: 'with it' });
    await update(id, []);
    await client.call('POST', '/backups/restore', { backup_id: backup.id, safety_backup: false });
    await until(async () => (await client.bot(id)).phase !== 'restoring');
    assert.deepEqual((await client.bot(id)).packages, ['ffmpeg']);
    await client.deleteBot(id, true);
  });
});

describe('400', () => {
  test('names that are not allowed, too many of them, and what is no list', async () => {
    const { id } = await client.createBot({ ...goodBot });
    const refused = async (packages: unknown, field: string, fault: string) =>
      assertRefused(await send(client, 'POST /bots/update', { bot_id: id, packages }), invalidInput(field, fault));
    await refused(['jq', 'vim'], 'packages[1]', 'must be one of: ffmpeg, jq, sqlite3');
    await refused(['jq; reboot'], 'packages[0]', 'must be one of: ffmpeg, jq, sqlite3');
    await refused(['jq', 7], 'packages[1]', 'must be a string');
    await refused([''], 'packages[0]', 'must be between 1 and 64 characters');
    await refused('jq', 'packages', 'must be a list');
    await refused(Array(17).fill('jq'), 'packages', 'must have at most 16 entries');
    assert.deepEqual((await client.bot(id)).packages, []);
    await client.deleteBot(id);
  });

  test('where the operator allows none', async () => {
    const strict = await startFixture({ BOTEL_PACKAGES: 'none' });
    try {
      const { id } = await strict.client.createBot({ ...goodBot });
      const answer = await send(strict.client, 'POST /bots/update', { bot_id: id, packages: ['jq'] });
      assertRefused(answer, invalidInput('packages[0]', 'is not allowed here'));
      const { data } = await strict.guest.call<RuntimesData>('GET', '/runtimes');
      assert.deepEqual(data.packages, []);
    } finally {
      await strict[Symbol.asyncDispose]();
    }
  });

  test('a setting that holds anything but names ends the start', async () => {
    await assert.rejects(startFixture({ BOTEL_PACKAGES: 'jq,--force-yes' }), {
      message: 'BOTEL_PACKAGES must be names of Debian packages with commas between them, or none',
    });
  });
});

test('images that no bot needs go after a week, by the periodic task', async () => {
  const { id } = await client.createBot({ ...goodBot });
  await update(id, ['jq']);
  await client.lifecycle('start', id);
  await online(id);
  machine.addImage('python', '3.13', ['ffmpeg']);
  await fixture.server.runTask('remove-unused-images');
  assert.notEqual(machine.findImage('nodejs', '24', ['jq']), null);
  assert.notEqual(machine.findImage('python', '3.13', ['ffmpeg']), null, 'it was seen unneeded only now');
  await client.deleteBot(id, true);
});
