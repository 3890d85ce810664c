// Nobody waits behind another owner: starts that hang, or that read endless files, hold up neither
// the bots of others nor the end of the server.
import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { BotelClient } from '@botel/contract/client';
import type { BotData } from '@botel/contract/bots';
import { noFaults } from '../../src/agent/engine/fake/fake-faults.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const hostileBots = 40;
const generousMs = 15_000;

/** A server whose calls to create containers of chosen bots hang until `release`. */
async function startStage() {
  const hanging = new Set<string>();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const faults = {
    ...noFaults,
    async before({ verb, botId }: { verb: string; botId: string | null }) {
      if (verb !== 'create' || botId === null || !hanging.has(botId)) return;
      calls++;
      await gate.promise;
    },
  };
  const plan = { BOTEL_DEFAULT_PLAN_BOTS: '100', BOTEL_DEFAULT_PLAN_MEMORY_MB: '100000' };
  const fixture = await startFixture(plan, undefined, { faults });
  return { fixture, hanging, release: () => gate.resolve(), hangingCalls: () => calls };
}

async function makeBot(client: BotelClient, startupCommand: string = goodBot.startup_command): Promise<string> {
  return (await client.createBot({ ...goodBot, memory: 128, startup_command: startupCommand })).id;
}

function untilStatus(client: BotelClient, id: string, status: BotData['status']): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(id);
    return bot.status === status && bot;
  }, generousMs);
}

/** Starts, stops, crashes and deletes bots while somebody else holds workers. */
async function assertServed(client: BotelClient, crash: (id: string) => void, [online, other]: [string, string]) {
  const fresh = await makeBot(client);
  await client.lifecycle('start', fresh);
  await untilStatus(client, fresh, 'online');
  await client.lifecycle('stop', online);
  await untilStatus(client, online, 'offline');
  crash(other);
  await until(async () => (await client.bot(other)).last_exit !== null, generousMs);
  await client.deleteBot(fresh, true);
  await until(async () => !(await client.bots()).some(({ id }) => id === fresh), generousMs);
}

async function twoOnline(client: BotelClient): Promise<[string, string]> {
  const ids: [string, string] = [await makeBot(client), await makeBot(client)];
  for (const id of ids) await client.lifecycle('start', id);
  for (const id of ids) await untilStatus(client, id, 'online');
  return ids;
}

describe(`${hostileBots} starts of one owner that hang`, async () => {
  const { fixture, hanging, release, hangingCalls } = await startStage();
  after(() => fixture[Symbol.asyncDispose]());
  const { client, stranger: hostile, machine } = fixture;
  const ids: string[] = [];

  test('delay no start, stop, record of an end or deletion of another owner', async () => {
    const online = await twoOnline(client);
    for (let i = 0; i < hostileBots; i++) ids.push(await makeBot(hostile));
    for (const id of ids) hanging.add(id);
    for (const id of ids) await hostile.lifecycle('start', id);
    await until(() => hangingCalls() >= 8);
    await assertServed(client, (id) => machine.crash(id, 1), online);
    assert.equal((await fixture.guest.fetch('GET', '/ready')).status, 200);
  });

  test("nor do the owner's own stops wait for starts whose turn has not come", async () => {
    const waiting = ids.slice(-3);
    for (const id of waiting) await hostile.lifecycle('stop', id);
    for (const id of waiting) await untilStatus(hostile, id, 'offline');
  });

  test('all of them go on once they can', async () => {
    release();
    for (const id of ids.slice(0, -3)) await untilStatus(hostile, id, 'online');
  });
});

describe(`${hostileBots} starts of one owner over manifests of 8 TiB`, async () => {
  const { fixture } = await startStage();
  after(() => fixture[Symbol.asyncDispose]());
  const { client, stranger: hostile, machine, directory } = fixture;

  test('are built or run, and delay nobody', async () => {
    const online = await twoOnline(client);
    const ids: string[] = [];
    for (let i = 0; i < hostileBots; i++) {
      const id = await makeBot(hostile);
      ids.push(id);
      await hostile.writeFile(id, 'package.json', '{"dependencies":{"left-pad":"1"}}');
      await hostile.writeFile(id, 'package-lock.json', '{}');
      truncateSync(join(directory, 'homes', id, 'package-lock.json'), 8 * 1024 ** 4);
    }
    for (const id of ids) await hostile.lifecycle('start', id);
    await assertServed(client, (id) => machine.crash(id, 1), online);
    for (const id of ids) await until(async () => (await hostile.bot(id)).run > 0, generousMs);
    for (const id of ids) await hostile.deleteBot(id, true);
    await until(async () => (await hostile.bots()).length === 0, 4 * generousMs);
  });
});

test('a server ends although starts hang', { timeout: 30_000 }, async () => {
  const { fixture, hanging, hangingCalls } = await startStage();
  const id = await makeBot(fixture.client);
  hanging.add(id);
  await fixture.client.lifecycle('start', id);
  await until(() => hangingCalls() === 1);
  await fixture[Symbol.asyncDispose]();
});
