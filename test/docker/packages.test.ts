// Packages of bots on the real engine: installed once per set and found again, usable by a bot
// without rights, there for builds too; what can't be installed is told and tried again.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { createBot, storedTexts, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { imagesOf, startDockerServer } from './fixture.ts';

const server = await startDockerServer({ BOTEL_PACKAGES: 'jq,sqlite3,no-such-package' });
after(() => server[Symbol.asyncDispose]());
const { client, engine, installId } = server;
/** Packages are fetched from a mirror. */
const withinMs = 120_000;

async function startWith(botId: string, packages: string[]): Promise<BotData> {
  await client.call('POST', '/bots/update', { bot_id: botId, packages });
  await client.lifecycle('start', botId);
  return waitForBot(client, botId, ({ status }) => status === 'online' || status === 'offline', withinMs);
}

async function installations(botId: string): Promise<number> {
  const texts = await storedTexts(client, botId, { stream: 'system' });
  return texts.filter((text) => text.startsWith('Installing ')).length;
}

describe('packages', () => {
  test('a bot and its build have them; a second bot with the same set starts without an installation', async () => {
    const packageJson = {
      dependencies: {},
      devDependencies: { 'is-number': '7.0.0' },
      scripts: { postinstall: 'jq -n "1 + 1" > node_modules/sum' },
    };
    const command = `sqlite3 guests.db "create table guests (name); select 'rows ' || count(*) from guests" && jq --raw-input . node_modules/sum && sleep 1000`;
    const first = await createBot(client, { command, files: { 'package.json': JSON.stringify(packageJson) } });
    const bot = await startWith(first, ['sqlite3', 'jq']);
    assert.equal(bot.status, 'online', JSON.stringify(bot.last_exit));
    await waitForLine(client, first, ({ stream, text }) => stream === 'stdout' && text === 'rows 0');
    await waitForLine(client, first, ({ stream, text }) => stream === 'stdout' && text === '"2"');
    assert.ok((await installations(first)) > 0);

    const second = await createBot(client, { command: `jq -n '"here"' && sleep 1000` });
    await startWith(second, ['jq', 'sqlite3']);
    await waitForLine(client, second, ({ stream, text }) => stream === 'stdout' && text === '"here"');
    assert.equal(await installations(second), 0);
    const [image, ...others] = await imagesOf(engine, installId);
    assert.equal(others.length, 0);

    await server.server.runTask('remove-unused-images');
    assert.deepEqual(await imagesOf(engine, installId), [image]);
    await client.lifecycle('stop', second);
    await waitForStatus(client, second, 'offline');
    const plain = await startWith(second, []);
    assert.deepEqual(plain.packages, []);
    await waitForLine(client, second, ({ stream, text }) => stream === 'stderr' && /jq.*not found/.test(text));
  });

  test('what there is not is told in words, and tried again', async () => {
    const before = await imagesOf(engine, installId);
    const id = await createBot(client, { command: 'sleep 1000' });
    const bot = await startWith(id, ['no-such-package']);
    assert.deepEqual([bot.status, bot.status_reason], ['offline', 'start_failed']);
    assert.match(
      bot.last_exit?.message ?? '',
      /The packages no-such-package could not be installed: [\s\S]*Unable to locate package no-such-package/,
    );
    assert.ok(bot.next_restart_at);
    await client.deleteBot(id, true);
    assert.deepEqual(await imagesOf(engine, installId), before, 'nothing is left of it');
  });
});
