// What bots reach: the setting and the plan; and that no bot is started while the firewall does not
// hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noGuard } from '../../src/agent/network/firewall.ts';
import type { BotData } from '@botel/contract/bots';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';

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

test('a bot without a network, and a plan without one', async () => {
  await using fixture = await startFixture();
  const { client, server, machine } = fixture;
  const { id } = await client.createBot(goodBot);
  const networkOfRun = async (verb: 'start' | 'restart') => {
    await client.lifecycle(verb, id);
    await server.settle();
    return machine.containers().find((container) => container.botId === id)?.spec?.network;
  };
  const update = async (network: string) =>
    (await client.call<BotData>('POST', '/bots/update', { bot_id: id, network })).data;

  assert.equal((await client.bot(id)).network, 'internet');
  assert.equal(await networkOfRun('start'), 'internet');
  const { network, needs_restart } = await update('none');
  assert.deepEqual({ network, needs_restart }, { network: 'none', needs_restart: true });
  assert.equal(await networkOfRun('restart'), 'none');

  await inDatabase(fixture, (db) => db.updateTable('plans').set({ internet: 0 }).execute());
  assert.equal((await update('internet')).network, 'none', 'the plan gives none');
  assert.equal(await networkOfRun('restart'), 'none');
  await inDatabase(fixture, (db) => db.updateTable('plans').set({ internet: 1 }).execute());
  assert.equal((await client.bot(id)).network, 'internet');
  assert.equal(await networkOfRun('restart'), 'internet');
});
