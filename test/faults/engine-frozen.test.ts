// Row 11: the engine stands still: the API goes on, says so, takes wishes, and when the engine goes
// on, each is done once. On an engine of the test's own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../packages/server/test/support/until.ts';
import { startAndWait, waitForLine, waitForStatus } from '../docker/bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers } from '../docker/counting-bot.ts';
import { startDockerServer } from '../docker/fixture.ts';
import { answerMs, copyRuntimeImages, isReady, waitUntilAway } from '../docker/own-engine-server.ts';
import { OwnEngine } from '../docker/own-engine.ts';

/** How long it stands still. */
const frozenMs = 60_000;

let engine: OwnEngine;

before(async () => {
  engine = await OwnEngine.open({ liveRestore: true });
  await copyRuntimeImages(engine);
});

after(() => engine?.[Symbol.asyncDispose]());

test('row 11: the engine is frozen for 60 s', async (t) => {
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
  const { client } = server;
  const [starting = '', stopping = '', restarting = '', ...bots] = await Promise.all(
    Array.from({ length: 5 }, () => createCountingBot(client)),
  );
  for (const id of [stopping, restarting, ...bots]) {
    await startAndWait(client, id);
    await waitForLine(client, id, ({ text }) => text === '3');
  }
  const before = await onlyContainers(engine.client, bots);
  await using _ = { [Symbol.asyncDispose]: async () => engine.thaw() };
  engine.freeze();
  const thawAt = performance.now() + frozenMs;
  await client.lifecycle('start', starting);
  await client.lifecycle('stop', stopping);
  await client.lifecycle('restart', restarting);
  await waitUntilAway(server);
  let slowestMs = 0;
  while (performance.now() < thawAt) {
    for (const path of ['/bots', `/bots/${bots[0]}`, '/ready']) {
      const began = performance.now();
      await client.fetch('GET', path, { signal: AbortSignal.timeout(answerMs) });
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
    // Wishes come in all the time.
    for (const id of bots) await client.call('POST', '/bots/update', { bot_id: id, name: 'guest' });
    await delay(250);
  }
  assert.equal((await client.bot(bots[0]!)).status_reason, 'engine_unavailable');
  engine.thaw();
  const began = performance.now();
  await until(async () => (await isReady(server)).status === 200, 60_000);
  await waitForStatus(client, starting, 'online');
  await waitForStatus(client, restarting, 'online');
  await waitForStatus(client, stopping, 'offline');
  t.diagnostic(`slowest answer while it was frozen: ${Math.round(slowestMs)} ms`);
  t.diagnostic(`all where they were wished ${Math.round(performance.now() - began)} ms after it went on`);
  assert.deepEqual(await onlyContainers(engine.client, bots), before);
  assert.deepEqual(await containersOfBot(engine.client, stopping), []);
  for (const [id, runs] of [[starting, 1] as const, [restarting, 2] as const, ...bots.map((id) => [id, 1] as const)]) {
    await waitForLine(client, id, ({ run, text }) => run === runs && text === '5');
    const bot = await client.bot(id);
    assert.deepEqual([bot.status, bot.run, bot.restart_count], ['online', runs, 0]);
    assert.equal((await assertCounts(client, id)).size, runs);
  }
});
