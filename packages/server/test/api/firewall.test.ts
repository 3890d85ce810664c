// While the firewall does not hold no bot is started, and those who ask are told; afterwards all goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noGuard } from '../../src/network/firewall.ts';
import { goodBot, startFixture, until } from '../fixture.ts';

test('no bot starts while the firewall does not hold; running ones live', async () => {
  let fault: string | null = null;
  const guard = {
    ...noGuard,
    fault: async () => fault,
    get lastFault() {
      return fault;
    },
  };
  await using fixture = await startFixture({}, guard);
  const { client, server, url } = fixture;
  const start = async () => {
    const { id } = await client.createBot(goodBot);
    await client.lifecycle('start', id);
    await server.settle();
    return id;
  };
  const early = await start();
  assert.equal((await client.bot(early)).status, 'online');

  fault = 'v4: the chains are missing';
  const late = await start();
  const bot = await client.bot(late);
  assert.equal(bot.status, 'offline');
  assert.equal(bot.status_reason, 'start_failed');
  assert.equal(
    bot.last_exit?.message,
    'The firewall of this machine does not hold: its operator must run botel doctor',
  );
  assert.ok(bot.next_restart_at, 'it is tried again');
  assert.equal((await client.bot(early)).status, 'online');
  const ready = await fetch(`${url}/ready`);
  assert.equal(ready.status, 503);
  assert.equal(((await ready.json()) as { error: string }).error, 'Not ready: firewall');

  fault = null;
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  await client.lifecycle('start', late);
  await until(async () => (await client.bot(late)).status === 'online');
});
