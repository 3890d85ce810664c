// The engine is killed in the middle of a build, with and without live-restore: the build goes on
// or is begun again, the bot comes up in one container and nobody is blamed; what was stopped
// meanwhile stays so. On an engine of the test's own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotData } from '@botel/contract/bots';
import { until } from '../../packages/server/test/support/until.ts';
import { linesUntil, waitForBot, waitForLine, waitForStatus, waitOnline } from './bots.ts';
import { containersOfBot, onlyContainers } from './counting-bot.ts';
import { containersOf, type LocalServer, startDockerServer } from './fixture.ts';
import { copyRuntimeImages, isReady, waitUntilAway } from './own-engine-server.ts';
import { OwnEngine } from './own-engine.ts';

let engine: OwnEngine;

before(async () => {
  engine = await OwnEngine.open({ liveRestore: true });
  await copyRuntimeImages(engine);
});

after(() => engine?.[Symbol.asyncDispose]());

/** A bot whose build counts itself in the file `builds` and ends when there is a file `go`. */
async function buildingBot({ client }: LocalServer, verb: 'start' | 'reinstall'): Promise<string> {
  const { id } = await client.createBot({
    name: 'builder',
    language: 'nodejs',
    memory: 128,
    startup_command: 'node index.js',
    build_command: 'echo b >> builds; echo begun; until [ -e go ]; do sleep 0.1; done; echo done; touch ended',
  });
  await client.writeFile(id, 'index.js', 'console.log("up"); setInterval(() => {}, 1000)');
  await client.call('POST', `/bots/${verb}`, { bot_id: id });
  await waitForLine(client, id, ({ text }) => text === 'begun');
  return id;
}

async function builds({ client }: LocalServer, botId: string): Promise<number> {
  const text = await (await client.fetch('GET', `/bots/${botId}/files/content?path=builds`)).text();
  return text.split('\n').length - 1;
}

/** What builds and the bot printed, up to its `up`. */
async function outputUntilUp({ client }: LocalServer, botId: string): Promise<string[]> {
  const lines = await linesUntil(client, botId, ({ text }) => text === 'up');
  return lines.filter(({ stream }) => stream !== 'system').map(({ text }) => text);
}

async function isUpUnblamed({ client }: LocalServer, botId: string): Promise<BotData> {
  const bot = await waitForBot(client, botId, ({ status }) => status === 'online', 60_000);
  assert.deepEqual([bot.status_reason, bot.next_restart_at], [null, null]);
  const { data } = await client.call<EventListData>('GET', `/bots/${botId}/events?limit=100`);
  const blame = data.events.filter(({ type }) => ['install.failed', 'bot.crashed', 'bot.crash_loop'].includes(type));
  assert.deepEqual(blame, []);
  const [container, ...others] = await onlyContainers(engine.client, [botId]);
  assert.deepEqual([container?.running, container?.run, others], [true, bot.run, []]);
  return bot;
}

async function comeBack(server: LocalServer, liveRestore: boolean): Promise<void> {
  await engine.start({ liveRestore });
  await until(async () => (await isReady(server)).status === 200, 60_000);
}

test('live-restore on: the build goes on and is done once', async () => {
  await engine.restart({ liveRestore: true });
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
  const { client } = server;
  const [lasting, ending] = [await buildingBot(server, 'start'), await buildingBot(server, 'start')];
  await engine.kill('SIGKILL');
  await waitUntilAway(server);
  await client.writeFile(ending, 'go', '');
  // It ends while nobody looks.
  await until(async () => (await client.fetch('GET', `/bots/${ending}/files/content?path=ended`)).status === 200);
  await comeBack(server, true);
  assert.equal((await client.bot(lasting)).phase, 'installing');
  await client.writeFile(lasting, 'go', '');
  for (const id of [lasting, ending]) {
    const bot = await isUpUnblamed(server, id);
    assert.deepEqual([bot.run, await builds(server, id)], [2, 1]);
  }
  assert.deepEqual(await outputUntilUp(server, lasting), ['begun', 'done', 'up']);
});

describe('live-restore off', () => {
  before(() => engine.restart({ liveRestore: false }));

  test('the build is begun again', async () => {
    await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
    const { client } = server;
    const id = await buildingBot(server, 'start');
    await engine.kill('SIGKILL');
    await waitUntilAway(server);
    await comeBack(server, false);
    await waitForLine(client, id, ({ run, text }) => run === 2 && text === 'begun');
    assert.equal((await client.bot(id)).last_exit?.reason, 'interrupted');
    await client.writeFile(id, 'go', '');
    const bot = await isUpUnblamed(server, id);
    assert.deepEqual([bot.run, await builds(server, id)], [3, 2]);
    // The shell says so when the engine ends it with a signal that it hears.
    const output = (await outputUntilUp(server, id)).filter((text) => text !== 'Terminated');
    assert.deepEqual(output, ['begun', 'begun', 'done', 'up']);
  });

  test('a reinstall is begun again; the bot stays offline', async () => {
    await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
    const { client } = server;
    const id = await buildingBot(server, 'reinstall');
    await engine.kill('SIGKILL');
    await waitUntilAway(server);
    await comeBack(server, false);
    await waitForLine(client, id, ({ run, text }) => run === 2 && text === 'begun');
    await client.writeFile(id, 'go', '');
    await waitForLine(client, id, ({ run, text }) => run === 2 && text.startsWith('Built in '));
    await until(async () => (await containersOfBot(engine.client, id)).length === 0);
    const { status, desired_status, status_reason } = await client.bot(id);
    assert.deepEqual([status, desired_status, status_reason], ['offline', 'offline', null]);
    await client.lifecycle('start', id);
    await waitOnline(client, id);
    assert.equal(await builds(server, id), 2);
  });
});

for (const liveRestore of [true, false])
  test(`a stop while the engine is away, live-restore ${liveRestore ? 'on' : 'off'}: the build is over`, async () => {
    await engine.restart({ liveRestore });
    await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
    const { client } = server;
    const id = await buildingBot(server, 'start');
    await engine.kill('SIGKILL');
    await waitUntilAway(server);
    await client.lifecycle('stop', id);
    await comeBack(server, liveRestore);
    await waitForStatus(client, id, 'offline');
    await until(async () => (await containersOf(engine.client, server.installId)).length === 0);
    const stopped = await client.bot(id);
    assert.deepEqual([stopped.run, stopped.desired_status, stopped.status_reason], [1, 'offline', null]);
    assert.equal(await builds(server, id), 1);

    await client.writeFile(id, 'go', '');
    await client.lifecycle('start', id);
    await isUpUnblamed(server, id);
    assert.equal(await builds(server, id), 2);
  });
