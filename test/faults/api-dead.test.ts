// Row 7: the api is killed and stays away, the agent does not: bots run on, those that end are
// started again, and not a line of what they said meanwhile is missing. FAULTS_LONG=1: for 2
// minutes; FAULTS_API_DEAD_SECONDS says another time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../packages/server/test/support/until.ts';
import { startAndWait, waitForBot, waitForLine } from '../docker/bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers, tellToEnd } from '../docker/counting-bot.ts';
import { spawnDockerSplit } from '../docker/fixture.ts';

const deadSeconds = Number(process.env.FAULTS_API_DEAD_SECONDS ?? (process.env.FAULTS_LONG ? 120 : 10));

test(`row 7: the api is dead for ${deadSeconds} s`, async (t) => {
  await using server = await spawnDockerSplit();
  const { client, directory, engine, halves } = server;
  const [ending, ...steady] = await Promise.all([1, 2, 3].map(() => createCountingBot(client)));
  assert.ok(ending);
  for (const id of [ending, ...steady]) {
    await startAndWait(client, id);
    await waitForLine(client, id, ({ text }) => text === '3');
  }
  const before = await onlyContainers(engine, steady);
  const runs = async () => Math.max(0, ...(await containersOfBot(engine, ending)).map(({ run }) => run));

  await halves.api.end('SIGKILL');
  const backAt = performance.now() + deadSeconds * 1000;
  await tellToEnd(directory, ending);
  await until(async () => (await runs()) === 2, 30_000);
  await delay(Math.max(0, backAt - performance.now()));
  assert.ok(halves.agent.isAlive());
  assert.deepEqual(await onlyContainers(engine, steady), before);
  await halves.restartApi();

  const bot = await waitForBot(client, ending, ({ status, run }) => status === 'online' && run === 2);
  assert.deepEqual([bot.last_exit?.run, bot.last_exit?.reason, bot.last_exit?.code], [1, 'crashed', 3]);
  // Whatever they said while nobody could ask for it.
  let lines = 0;
  for (const id of [ending, ...steady]) for (const [, count] of await assertCounts(client, id)) lines += count;
  assert.ok(lines > 0);
  const since = new Date().toISOString();
  for (const id of steady) await waitForLine(client, id, ({ ts, stream }) => stream === 'stdout' && ts > since);
  assert.deepEqual(await onlyContainers(engine, steady), before);
  t.diagnostic(`${deadSeconds} s without the api: ${lines} lines of 3 bots, none missing, one bot started again`);
});
