// Where the program of a run is reached: recorded while it runs, corrected when the engine says
// otherwise, gone afterwards.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { containerName } from '../../src/core/domain/bot.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { settled } from './bot-states.ts';
import { inDatabase } from './database.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
after(() => fixture[Symbol.asyncDispose]());
const { client, server, machine } = fixture;

async function startedBot(change: Record<string, unknown> = {}): Promise<string> {
  const { data } = await client.call<{ id: string }>('POST', '/bots/create', { ...goodBot, memory: 128, ...change });
  await client.call('POST', '/bots/start', { bot_id: data.id });
  await server.settle();
  return data.id;
}

async function target(botId: string): Promise<(string | number | null)[]> {
  const row = await inDatabase(fixture, (db) =>
    db.selectFrom('observations').select(['address', 'port']).where('bot_id', '=', botId).executeTakeFirstOrThrow(),
  );
  return [row.address, row.port];
}

test('a bot that was never started is nowhere; one that runs is at its PORT; one that was stopped is nowhere again', async () => {
  const { data } = await client.call<{ id: string }>('POST', '/bots/create', goodBot);
  assert.deepEqual(await target(data.id), [null, null]);
  await client.call('POST', '/bots/start', { bot_id: data.id });
  await server.settle();
  assert.deepEqual(await target(data.id), ['127.0.0.1', 3000]);
  await client.call('POST', '/bots/stop', { bot_id: data.id });
  await settled(fixture, data.id, 'offline');
  assert.deepEqual(await target(data.id), [null, null]);
});

test('a PORT of the owner counts, and one that is none leads nowhere', async () => {
  assert.deepEqual(await target(await startedBot({ environment: { PORT: 4321 } })), ['127.0.0.1', 4321]);
  assert.deepEqual(await target(await startedBot({ environment: { PORT: 'unix:/tmp/x' } })), ['127.0.0.1', null]);
});

test('an app names the port of the runs that begin after it; one that was deleted names none', async () => {
  const owner = (await client.call<{ user: { id: string } }>('GET', '/auth/me')).data.user.id;
  const id = await startedBot();
  const app = { id: 'app', owner_id: owner, bot_id: id, name: 'greeter', port: 8080, created_at: 1 };
  await inDatabase(fixture, async (db) => {
    await db.insertInto('apps').values(app).execute();
    await db
      .insertInto('apps')
      .values({ ...app, id: 'old', name: 'older', port: 9090, created_at: 0, freed_at: 1 })
      .execute();
  });
  assert.deepEqual(await target(id), ['127.0.0.1', 3000]);
  await client.call('POST', '/bots/restart', { bot_id: id });
  await settled(fixture, id, 'online');
  assert.deepEqual(await target(id), ['127.0.0.1', 8080]);
  const container = machine.byName(containerName(id));
  assert.ok(container?.spec?.environment.includes('PORT=8080'));
});

test('an address that changes under a run is noted at the next look at everything', async () => {
  const id = await startedBot({ environment: { PORT: 5000 } });
  const container = machine.byName(containerName(id));
  assert.ok(container);
  container.address = '127.0.0.9';
  machine.stopEngine();
  machine.startEngine({ liveRestore: true });
  await until(async () => (await target(id))[0] === '127.0.0.9');
  assert.deepEqual(await target(id), ['127.0.0.9', 5000]);
});

test('a run that began before addresses were recorded gets its address and port at the next look', async () => {
  const id = await startedBot({ environment: { PORT: 6000 } });
  await inDatabase(fixture, (db) =>
    db.updateTable('observations').set({ address: null, port: null }).where('bot_id', '=', id).execute(),
  );
  machine.killProcess(id);
  await until(async () => (await target(id))[0] !== null);
  assert.deepEqual(await target(id), ['127.0.0.1', 6000]);
});
