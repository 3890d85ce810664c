// The engine dies or is restarted, with and without live-restore: the API goes on, bots come back
// by what they were wished, and no bot is blamed. On an engine of the test's own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { until } from '../../packages/server/test/support/until.ts';
import { startAndWait, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers, tellToEnd } from './counting-bot.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import { answerMs, copyRuntimeImages, isReady, waitUntilAway } from './own-engine-server.ts';
import { OwnEngine } from './own-engine.ts';
import { nodeReader, readerOf, tells } from './reading-bot.ts';

/** What an engine may have read of a bot and not yet written when it is killed; a line in 20 ms is
 * said. */
const linesInHand = 3;

let engine: OwnEngine;

before(async () => {
  engine = await OwnEngine.open({ liveRestore: true });
  await copyRuntimeImages(engine);
});

after(() => engine[Symbol.asyncDispose]());

/** A server on the own engine with bots that count and one that is stopped. */
async function startHotel(size = 3) {
  const server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
  const [resting = '', ...bots] = await Promise.all(
    Array.from({ length: size + 1 }, () => createCountingBot(server.client)),
  );
  await Promise.all(bots.map((id) => startAndWait(server.client, id)));
  for (const id of bots) await waitForLine(server.client, id, ({ text }) => text === '3');
  return { server, bots, resting };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A later run is up after an end that nobody is blamed for. */
async function isBackWithoutBlame({ server }: { server: LocalServer }, id: string): Promise<void> {
  const bot = await waitForBot(server.client, id, ({ status, run }) => status === 'online' && run === 2, 60_000);
  assert.deepEqual([bot.last_exit?.run, bot.last_exit?.reason, bot.status_reason], [1, 'interrupted', null]);
  await waitForLine(server.client, id, ({ run, text }) => run === 2 && text === '3');
  const [container] = await onlyContainers(engine.client, [id]);
  assert.deepEqual([container?.running, container?.run], [true, 2]);
  assert.deepEqual([...(await assertCounts(server.client, id)).keys()], [1, 2]);
}

test('engine killed, live-restore on: the API answers, wishes wait, bots run on, ends are recorded', async (t) => {
  await engine.restart({ liveRestore: true });
  const hotel = await startHotel(20);
  await using server = hotel.server;
  const { client, directory } = server;
  const [ending, bots] = [hotel.bots.slice(0, 4), hotel.bots.slice(4)];
  const containers = await onlyContainers(engine.client, bots);
  await engine.kill('SIGKILL');
  await waitUntilAway(server);

  const ready = await isReady(server);
  assert.deepEqual(await ready.json(), { success: false, error: 'Not ready: engine' });
  for (const id of bots) {
    const answer = await client.fetch('GET', `/bots/${id}`, { signal: AbortSignal.timeout(answerMs) });
    const { data } = (await answer.json()) as { data: BotData };
    assert.deepEqual([data.status, data.status_reason], ['online', 'engine_unavailable']);
  }
  const body = JSON.stringify({ bot_id: hotel.resting });
  const headers = { 'Content-Type': 'application/json' };
  const started = await client.fetch('POST', '/bots/start', { body, headers, signal: AbortSignal.timeout(answerMs) });
  assert.equal(started.status, 200);
  assert.equal((await client.bot(hotel.resting)).status, 'starting');
  for (const id of ending) await tellToEnd(directory, id);

  const began = performance.now();
  await engine.start({ liveRestore: true });
  await until(async () => (await isReady(server)).status === 200);
  const newcomer = await waitForStatus(client, hotel.resting, 'online');
  assert.deepEqual([newcomer.run, newcomer.last_exit], [1, null]);
  for (const id of bots) {
    const since = new Date().toISOString();
    await waitForLine(client, id, ({ ts, stream }) => stream === 'stdout' && ts > since);
    const bot = await client.bot(id);
    assert.deepEqual([bot.status, bot.run, bot.restart_count, bot.last_exit], ['online', 1, 0, null]);
    assert.deepEqual([...(await assertCounts(client, id, { mayMiss: linesInHand })).keys()], [1]);
  }
  assert.deepEqual(await onlyContainers(engine.client, bots), containers);
  for (const id of ending) {
    const ended = await waitForBot(client, id, ({ status, run }) => status === 'online' && run === 2);
    assert.deepEqual([ended.last_exit?.run, ended.last_exit?.reason, ended.last_exit?.code], [1, 'crashed', 3]);
    assert.equal(ended.restart_count, 1);
  }
  t.diagnostic(
    `${bots.length} bots ran on in the same containers; the ends of ${ending.length} were recorded and they were online again ${seconds(performance.now() - began)} after the engine's start began`,
  );
});

for (const [what, signal] of [
  ['killed', 'SIGKILL'],
  ['restarted', 'SIGTERM'],
] as const) {
  test(`engine ${what}, live-restore off: desired bots come back, stopped ones stay, nobody is blamed`, async (t) => {
    await engine.restart({ liveRestore: false });
    const hotel = await startHotel();
    await using server = hotel.server;
    const { client } = server;
    await engine.kill(signal);
    await waitUntilAway(server);
    const began = performance.now();
    await engine.start({ liveRestore: false });
    for (const id of hotel.bots) await isBackWithoutBlame(hotel, id);
    t.diagnostic(
      `${hotel.bots.length} bots are back ${seconds(performance.now() - began)} after the engine's start began`,
    );
    assert.deepEqual([(await client.bot(hotel.resting)).status, (await client.bot(hotel.resting)).run], ['offline', 0]);
    assert.deepEqual(await containersOfBot(engine.client, hotel.resting), []);
  });
}

test('live-restore switched off or on at a restart of the engine: nobody is blamed', async () => {
  await engine.restart({ liveRestore: true });
  const hotel = await startHotel();
  await using server = hotel.server;
  await engine.kill('SIGTERM');
  await waitUntilAway(server);
  await engine.start({ liveRestore: false });
  for (const id of hotel.bots) await isBackWithoutBlame(hotel, id);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`live-restore on: input reaches a bot that outlived a ${signal} of the engine, and did not end for it`, async () => {
    await engine.restart({ liveRestore: true });
    await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
    const { client } = server;
    const id = await readerOf(client, nodeReader);
    await tells(client, id, ['before']);
    await engine.kill(signal);
    await waitUntilAway(server);
    await engine.start({ liveRestore: true });
    await until(async () => (await isReady(server)).status === 200);
    await tells(client, id, ['after', 'and on'], ['before']);
    assert.equal((await client.bot(id)).run, 1);
  });
}
