// Routes as the gateway reads them, and their version, which grows with relevant changes only.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TextCipher } from '../lib/text-cipher.ts';
import { aBot } from '../../../test/support/sample-bot.ts';
import { AppStore } from './apps.ts';
import { BotStore } from './bots.ts';
import { ObservationStore } from './observations.ts';
import { Database } from './database.ts';
import { RouteStore } from './routes.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';

let nextUid = 100_001;

async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-routes-'));
  const database = await Database.open(directory, 'OFF');
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  await insertOwner(database);
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  const observations = new ObservationStore(database, bots.changed);
  const apps = new AppStore(database);
  const routes = new RouteStore(database, 'apps.example.com');
  const add = async (name: string) => {
    await bots.insert({ ...aBot({ id: `bot-${name}`, uid: nextUid++ }), environment: {} });
    const app = { id: `app-${name}`, ownerId: 'owner', botId: `bot-${name}`, name, port: null, healthPath: null };
    await apps.insert({ ...app, createdAt: 0 });
    return { ...app, createdAt: 0 };
  };
  const verify = (id: string, appId: string, hostname: string) =>
    database.db
      .insertInto('domains')
      .values({ id, app_id: appId, hostname, token: 't', status: 'verified', created_at: 0 })
      .execute();
  return { database, bots, observations, apps, routes, add, verify };
}

const running = { run: 1, runState: 'running', runGeneration: 1, startedAt: 5, port: 3000 } as const;

test('a route has all hostnames that were verified, and the target of the run', async (t) => {
  const { observations, routes, add, verify, database } = await open(t);
  await add('greeter');
  await verify('1', 'app-greeter', 'www.example.com');
  await database.db
    .insertInto('domains')
    .values({ id: '2', app_id: 'app-greeter', hostname: 'x.example.com', token: 't', created_at: 0 })
    .execute();
  await observations.record('bot-greeter', { ...running, address: '10.0.0.2' });
  assert.deepEqual(await routes.all(), [
    {
      appId: 'app-greeter',
      botId: 'bot-greeter',
      name: 'greeter',
      hostnames: ['greeter.apps.example.com', 'www.example.com'],
      state: { kind: 'online', target: { address: '10.0.0.2', port: 3000, run: 1, startedAt: 5 } },
    },
  ]);
  await database.db.updateTable('apps').set({ port: 8080 }).execute();
  const [{ state } = { state: null }] = await routes.all();
  assert.ok(state?.kind === 'online' && state.target.port === 8080);
});

test('a bot that is on its way, waits, or is not wanted has no target', async (t) => {
  const { bots, observations, routes, add } = await open(t);
  await add('greeter');
  const state = async () => (await routes.all())[0]?.state;
  const desired = { state: 'running', generation: 1, kill: false, graceSeconds: null } as const;
  assert.deepEqual(await state(), { kind: 'starting' });
  await observations.record('bot-greeter', { ...running, address: null });
  assert.deepEqual(await state(), { kind: 'starting' });
  await observations.record('bot-greeter', { address: '10.0.0.2', port: null });
  assert.deepEqual(await state(), { kind: 'portless' });
  await observations.record('bot-greeter', { runState: 'ended', retryAt: 77 });
  assert.deepEqual(await state(), { kind: 'waiting', retryAt: 77 });
  await bots.setDesired('bot-greeter', { ...desired, generation: 2 }, 1);
  assert.deepEqual(await state(), { kind: 'starting' });
  await bots.setDesired('bot-greeter', { ...desired, state: 'stopped', generation: 3 }, 1);
  assert.deepEqual(await state(), { kind: 'offline', reason: null });
  await bots.setDesired('bot-greeter', { ...desired, state: 'deleted', generation: 4 }, 1);
  assert.deepEqual(await routes.all(), []);
});

test('of two runs with one address the one that began later has it, with or without an app', async (t) => {
  const { bots, observations, routes, add } = await open(t);
  await add('first');
  await bots.insert({ ...aBot({ id: 'other', uid: nextUid++ }), environment: {} });
  await observations.record('bot-first', { ...running, address: '10.0.0.2' });
  await observations.record('other', { ...running, address: '10.0.0.2', startedAt: 6 });
  assert.deepEqual((await routes.all())[0]?.state, { kind: 'starting' });
  await observations.record('other', { address: null });
  assert.equal((await routes.all())[0]?.state.kind, 'online');
});

test('the number grows with every change of a route, in each process, and with nothing else', async (t) => {
  const { database, bots, observations, apps, routes, add, verify } = await open(t);
  const grows = async (change: () => Promise<unknown>) => {
    const before = await routes.version();
    await change();
    return (await routes.version()) > before;
  };
  let app = await add('greeter');
  assert.ok(await grows(() => add('other')));
  assert.ok(await grows(() => verify('1', app.id, 'www.example.com')));
  assert.ok(await grows(() => database.db.updateTable('domains').set({ status: 'failed' }).execute()));
  assert.ok(!(await grows(() => database.db.updateTable('domains').set({ checked_at: 9 }).execute())));
  assert.ok(await grows(() => apps.update(app, { name: 'greeter2' }, 1)));
  app = { ...app, name: 'greeter2' };
  assert.ok(!(await grows(() => apps.update(app, { healthPath: '/up' }, 1))));
  const desired = { state: 'running', generation: 2, kill: false, graceSeconds: null } as const;
  assert.ok(await grows(() => bots.setDesired(app.botId, desired, 1)));
  assert.ok(!(await grows(() => bots.setDesired(app.botId, desired, 2))));
  assert.ok(await grows(() => observations.record(app.botId, { ...running, address: '10.0.0.2' })));
  assert.ok(!(await grows(() => observations.record(app.botId, { ...running, address: '10.0.0.2' }))));
  assert.ok(!(await grows(() => observations.record(app.botId, { memoryPeakMb: 7, observedAt: 9, restartCount: 1 }))));
  assert.ok(!(await grows(() => observations.markObserved(99))));
  assert.ok(await grows(() => observations.record(app.botId, { address: '10.0.0.3' })));
  assert.ok(await grows(() => observations.record(app.botId, { checkPath: '/up' })));
  assert.ok(await grows(() => apps.free(app, 5)));
  assert.ok(!(await grows(() => apps.prune(Number.MAX_SAFE_INTEGER))));
});
