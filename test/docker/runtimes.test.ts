// Versions of runtimes that are not the default, on the real engine: made when the first bot needs
// them, and what was built for another version is built again.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createBot, startAndWait, storedTexts, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { startDockerServer } from './fixture.ts';

const server = await startDockerServer();
after(() => server[Symbol.asyncDispose]());
const { client } = server;
/** An image may have to be made first. */
const withinMs = 240_000;

async function startVersion(botId: string, version: string): Promise<void> {
  await client.call('POST', '/bots/update', { bot_id: botId, runtime_version: version });
  await client.lifecycle('start', botId);
  const bot = await waitForBot(client, botId, ({ status }) => status === 'online' || status === 'offline', withinMs);
  assert.deepEqual([bot.status, bot.runtime_version], ['online', version]);
}

describe('runtimes', { concurrency: 2 }, () => {
  test('nodejs: dependencies follow from 24 to 22 and are not installed again for nothing', async () => {
    const packageJson = {
      dependencies: { 'is-number': '7.0.0' },
      scripts: { postinstall: `node -p process.version > node_modules/made-by` },
    };
    const index = `
      const madeBy = require('fs').readFileSync('node_modules/made-by', 'utf8').trim();
      console.log(process.version, madeBy === process.version, require('is-number')(1));
      setInterval(() => {}, 1000);`;
    const files = { 'package.json': JSON.stringify(packageJson), 'index.js': index };
    const id = await createBot(client, { command: 'node index.js', memory: 256, files });
    await startAndWait(client, id);
    const first = await waitForLine(client, id, ({ text }) => /^v24\.\d+\.\d+ true true$/.test(text));
    await client.lifecycle('stop', id);
    await waitForStatus(client, id, 'offline');

    await startVersion(id, '22');
    const second = await waitForLine(client, id, ({ text }) => /^v22\.\d+\.\d+ true true$/.test(text), {
      after: first.seq,
    });
    await client.lifecycle('restart', id);
    await waitForLine(client, id, ({ text }) => text.startsWith('v22.'), { after: second.seq });
    const builds = (await storedTexts(client, id, { stream: 'system' })).filter((text) =>
      text.startsWith('Building: '),
    );
    assert.equal(builds.length, 2);
  });

  test('java: 21', async () => {
    const source =
      'class Bot { public static void main(String[] a) { System.out.println(Runtime.version().feature()); } }';
    const id = await createBot(client, {
      language: 'java',
      command: 'java Bot.java && sleep 1000',
      memory: 512,
      files: { 'Bot.java': source },
    });
    await startVersion(id, '21');
    await waitForLine(client, id, ({ stream, text }) => stream === 'stdout' && text === '21');
  });
});
