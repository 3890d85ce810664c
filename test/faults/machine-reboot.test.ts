// Row 17: everything ends at once, as when the power is lost: engine, shims, containers, control
// plane. After their start the wished bots are back, the stopped ones are not, and nobody is
// blamed. On an engine of the test's own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { startAndWait, waitForBot, waitForLine } from '../docker/bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers } from '../docker/counting-bot.ts';
import { spawnDockerServer } from '../docker/fixture.ts';
import { copyRuntimeImages } from '../docker/own-engine-server.ts';
import { OwnEngine } from '../docker/own-engine.ts';

const count = 6;

let engine: OwnEngine;

before(async () => {
  engine = await OwnEngine.open({ liveRestore: true });
  await copyRuntimeImages(engine);
});

after(() => engine?.[Symbol.asyncDispose]());

for (const first of ['engine', 'control plane'] as const) {
  test(`row 17: engine, shims, containers and control plane are killed; the ${first} is back first`, async (t) => {
    await using server = await spawnDockerServer({ BOTEL_DOCKER_HOST: engine.host });
    const { client } = server;
    const [resting = '', ...bots] = await Promise.all(
      Array.from({ length: count + 1 }, () => createCountingBot(client)),
    );
    await Promise.all(bots.map((id) => startAndWait(client, id)));
    for (const id of bots) await waitForLine(client, id, ({ text }) => text === '3');
    await server.kill('SIGKILL');
    await engine.crash();
    forgetBoot(server.directory);
    const began = performance.now();
    if (first === 'engine') {
      await engine.start({ liveRestore: true });
      await server.restart();
    } else {
      await server.restart();
      await engine.start({ liveRestore: true });
    }
    for (const id of bots) {
      const bot = await waitForBot(client, id, ({ status, run }) => status === 'online' && run === 2, 60_000);
      assert.deepEqual([bot.last_exit?.reason, bot.status_reason], ['interrupted', null]);
    }
    t.diagnostic(`${count} bots online ${((performance.now() - began) / 1000).toFixed(1)} s after the start of both`);
    for (const id of bots) {
      await waitForLine(client, id, ({ run, text }) => run === 2 && text === '3');
      const [container] = await onlyContainers(engine.client, [id]);
      assert.deepEqual([container?.running, container?.run], [true, 2]);
      assert.deepEqual([...(await assertCounts(client, id)).keys()], [1, 2]);
    }
    const { status, run } = await client.bot(resting);
    assert.deepEqual([status, run, await containersOfBot(engine.client, resting)], ['offline', 0, []]);
  });
}

/** The kernel gives each boot an id; here the stored one becomes that of another boot. */
function forgetBoot(directory: string): void {
  const database = new DatabaseSync(join(directory, 'botel.sqlite'));
  const { changes } = database
    .prepare("update settings set value = json_set(value, '$.bootId', 'another') where key = 'engine_state'")
    .run();
  database.close();
  assert.equal(changes, 1);
}
