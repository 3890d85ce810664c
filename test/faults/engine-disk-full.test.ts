// Row 26: the volume of the engine is full, that of the database is not: new work is refused in
// words, a wish is kept and its start fails with a reason, what runs goes on, and when there is
// room again all is well without a restart.
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BotelClient } from '@botel/contract/client';
import { until } from '../../packages/server/test/support/until.ts';
import { startAndWait, storedLog, waitForBot, waitForLine } from '../docker/bots.ts';
import { createCountingBot, onlyContainers } from '../docker/counting-bot.ts';
import { startDockerServer } from '../docker/fixture.ts';
import { copyRuntimeImages } from '../docker/own-engine-server.ts';
import { OwnEngine } from '../docker/own-engine.ts';
import { fill } from './fill.ts';

let engine: OwnEngine;

before(async () => {
  engine = await OwnEngine.open({ liveRestore: true, dataMb: 800 });
  await copyRuntimeImages(engine);
});
after(() => engine?.[Symbol.asyncDispose]());

test('row 26: the volume of the engine is full', async (t) => {
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host });
  const { client } = server;
  const [id, resting] = [await createCountingBot(client), await createCountingBot(client)];
  await startAndWait(client, id);
  await waitForLine(client, id, ({ text }) => text === '10');
  const before = await onlyContainers(engine.client, [id]);

  const ballast = join(engine.dataDirectory, 'ballast');
  await using room = { [Symbol.asyncDispose]: async () => rmSync(ballast, { force: true }) };
  fill(ballast);
  t.diagnostic(`the engine's volume took ${Math.round(statSync(ballast).size / 1024 / 1024)} MB more and was full`);
  const bot = { name: 'more', language: 'nodejs', memory: 128, startup_command: 'node index.js' } as const;
  await until(() =>
    client.createBot(bot).then(
      ({ id: made }) => client.deleteBot(made).then(() => false),
      ({ code }) => code === 'storage_full',
    ),
  );
  assert.equal((await client.lifecycle('start', resting)).data.status, 'starting');
  const failed = await waitForBot(client, resting, ({ last_exit }) => last_exit !== null, 60_000);
  assert.equal(failed.last_exit?.reason, 'start_failed');
  t.diagnostic(`start_failed: ${failed.last_exit?.message}`);
  assert.equal((await client.bot(id)).status, 'online');
  assert.deepEqual(await onlyContainers(engine.client, [id]), before);

  await room[Symbol.asyncDispose]();
  const began = performance.now();
  const since = new Date().toISOString();
  await waitForLine(client, id, ({ ts, stream }) => stream === 'stdout' && ts > since, { withinMs: 60_000 });
  t.diagnostic(`lines come again ${Math.round(performance.now() - began)} ms after there was room`);
  await waitForBot(client, resting, ({ status }) => status === 'online', 60_000);
  t.diagnostic(`the bot that was wished is online ${Math.round(performance.now() - began)} ms after there was room`);
  assert.deepEqual(await onlyContainers(engine.client, [id]), before);
  assert.deepEqual([(await client.bot(id)).run, (await client.bot(id)).restart_count], [1, 0]);
  const { missing, told } = await holes(client, id);
  t.diagnostic(`${missing} of its lines never got to the engine's file, ${told} records tell of a loss`);
});

/** Numbers that it said and that are not stored: an engine that can't write throws lines away, and
 * tells nobody. */
async function holes(client: BotelClient, id: string): Promise<{ missing: number; told: number }> {
  let [last, missing, told] = [0, 0, 0];
  for (const line of await storedLog(client, id)) {
    if ('dropped' in line) told++;
    else if (line.stream === 'stdout' && /^\d+$/.test(line.text)) {
      missing += Number(line.text) - last - 1;
      last = Number(line.text);
    }
  }
  return { missing, told };
}
