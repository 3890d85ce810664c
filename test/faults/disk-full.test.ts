// Row 26: the volume of the data folder is full: writes are refused in words, the bot and the reads
// go on, and when there is room again all is well without a restart, the lines of meanwhile
// included. On a small file system of the test's own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../../packages/server/src/core/lib/program.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { startAndWait, waitForLine, waitForStatus } from '../docker/bots.ts';
import { assertCounts, createCountingBot, onlyContainers } from '../docker/counting-bot.ts';
import { spawnDockerServer } from '../docker/fixture.ts';
import { fill } from './fill.ts';

test('row 26: the volume of the database is full', async (t) => {
  const mount = mkdtempSync(join(tmpdir(), 'botel-small-disk-'));
  await runProgram('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0711', 'botel-small-disk', mount]);
  await using _ = {
    async [Symbol.asyncDispose]() {
      await runProgram('umount', ['-l', mount]);
      rmdirSync(mount);
    },
  };
  await using server = await spawnDockerServer({ BOTEL_DATA_DIR: join(mount, 'data') });
  const { client, engine } = server;
  const [id, resting] = [await createCountingBot(client), await createCountingBot(client)];
  await startAndWait(client, id);
  await waitForLine(client, id, ({ text }) => text === '10');
  const before = await onlyContainers(engine, [id]);

  // Whatever fails, the bots can be deleted afterwards.
  await using room = { [Symbol.asyncDispose]: async () => rmSync(join(mount, 'ballast'), { force: true }) };
  fill(join(mount, 'ballast'));
  await until(async () => (await refusal(client.lifecycle('start', resting))) === 'storage_full');
  for (const call of [
    () => client.lifecycle('start', resting),
    () => client.writeFile(id, 'large', 'x'.repeat(200_000)),
    () => client.createBot({ name: 'more', language: 'nodejs', memory: 128, startup_command: 'node index.js' }),
  ]) {
    assert.equal(await refusal(call()), 'storage_full');
  }
  assert.equal((await client.bot(id)).status, 'online');
  assert.deepEqual(await onlyContainers(engine, [id]), before);
  const last = Math.max(...(await assertCounts(client, id)).values());

  await room[Symbol.asyncDispose]();
  const began = performance.now();
  await waitForLine(client, id, ({ text }) => Number(text) > last + 200, { withinMs: 60_000 });
  t.diagnostic(`lines are stored again ${Math.round(performance.now() - began)} ms after there was room`);
  assert.deepEqual([...(await assertCounts(client, id)).keys()], [1]);
  await client.lifecycle('start', resting);
  await waitForStatus(client, resting, 'online');
  await client.writeFile(id, 'large', 'x'.repeat(200_000));
  assert.deepEqual(await onlyContainers(engine, [id]), before);
});

function refusal(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    ({ code }) => code as string,
  );
}
