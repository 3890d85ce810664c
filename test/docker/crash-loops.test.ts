// Bots that end as soon as they begin, for ever: they are tried again at growing distance, and cost
// the server next to nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBot, waitForBot } from './bots.ts';
import { spawnDockerServer } from './fixture.ts';
import { processorShare } from './processor-share.ts';

const count = 5;
const watchedMs = 20_000;

test('bots that crash for ever take next to nothing of the processor', async (t) => {
  await using server = await spawnDockerServer();
  const { client } = server;
  const bots = await Promise.all(Array.from({ length: count }, () => createBot(client, { command: 'exit 1' })));
  const resting = await processorShare(server.pid, 3_000);
  await Promise.all(bots.map((id) => client.lifecycle('start', id)));
  const looping = await processorShare(server.pid, watchedMs);
  const runs = await Promise.all(bots.map(async (id) => (await client.bot(id)).run));
  t.diagnostic(`${resting} % of a core at rest, ${looping} % with ${count} crashing bots in their first ${runs} runs`);
  // Others are at work on this machine, and each start is work: later ones are up to 300 s apart.
  assert.ok(looping < 20, `the server takes ${looping} % of a core`);
  for (const id of bots) {
    const bot = await waitForBot(client, id, ({ restart_count }) => restart_count >= 3);
    assert.equal(bot.last_exit?.reason, 'crashed');
  }
});
