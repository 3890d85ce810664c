// Apps: create, read, change and delete them; names, plans, and what their bots show of them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { AppData, AppListData } from '@botel/contract/apps';
import type { BotelClient } from '@botel/contract/client';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import { assertRefused, botNotFound, invalidInput, type Refusal, send } from './request.ts';

const fixture = await startFixture({
  BOTEL_APPS_DOMAIN: 'apps.example.com',
  BOTEL_DEFAULT_PLAN_BOTS: '200',
  BOTEL_DEFAULT_PLAN_MEMORY_MB: '100000',
});
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, guest, server } = fixture;

const dayMs = 24 * 60 * 60 * 1000;
const appNotFound: Refusal = { status: 404, code: 'app_not_found', error: 'App not found' };
const botHasApp: Refusal = { status: 409, code: 'already_exists', error: 'Bot already has an app' };
const taken = (name: string): Refusal => ({
  status: 409,
  code: 'name_taken',
  error: `"${name}" is already taken`,
});

async function makeBot(owner = client, environment: Record<string, string> = {}): Promise<string> {
  return (await owner.createBot({ ...goodBot, memory: 128, environment })).id;
}

async function makeApp(name: string, owner = client, more: object = {}): Promise<AppData> {
  const body = { bot_id: await makeBot(owner), name, ...more };
  return (await owner.call<AppData>('POST', '/apps/create', body)).data;
}

async function isAvailable(name: string): Promise<boolean> {
  return (await guest.call<{ available: boolean }>('GET', `/apps/check/${name}`)).data.available;
}

async function removeApps(owner: BotelClient): Promise<void> {
  for (const { id } of (await owner.call<AppListData>('GET', '/apps?limit=100')).data.apps)
    await owner.call('POST', '/apps/delete', { app_id: id });
}

describe('POST /apps/create', () => {
  test('201 with the app; the bot, the list and the events show it, and its name is taken', async () => {
    const bot = await makeBot();
    const answer = await send<AppData>(client, 'POST /apps/create', {
      bot_id: bot.toUpperCase(),
      name: 'greeter',
      port: 8080,
      health_path: '/health?full=1',
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.body.message, 'App "greeter" was created');
    const { id, created_at: createdAt, ...rest } = answer.body.data;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    const url = 'https://greeter.apps.example.com';
    assert.deepEqual(rest, {
      name: 'greeter',
      url,
      bot_id: bot,
      port: 8080,
      health_path: '/health?full=1',
      status: 'offline',
      last_request_at: null,
      requests_24h: 0,
      errors_24h: 0,
      refused_24h: 0,
      ms_p50_24h: null,
      ms_p95_24h: null,
    });
    assert.deepEqual((await client.bot(bot)).app, { id, name: 'greeter', url });
    assert.deepEqual((await send(client, `GET /apps/${id.toUpperCase()}`)).body.data, answer.body.data);
    assert.equal(await isAvailable('greeter'), false);
    assert.equal((await client.usage()).apps.used, 1);
    const { events } = (
      await client.call<{ events: Record<string, unknown>[] }>('GET', `/bots/${bot}/events?type=app.created`)
    ).data;
    assert.deepEqual(
      events.map(({ bot_id: of, message, detail }) => ({ of, message, detail })),
      [{ of: bot, message: 'App "greeter" was created', detail: { app_id: id, name: 'greeter' } }],
    );
    await removeApps(client);
  });

  test('without a port and a path both are null; the status is that of the bot', async () => {
    const app = await makeApp('plain-one');
    assert.deepEqual([app.port, app.health_path], [null, null]);
    await client.lifecycle('start', app.bot_id);
    await server.settle();
    assert.equal((await client.call<AppData>('GET', `/apps/${app.id}`)).data.status, 'online');
    await removeApps(client);
  });

  test('400, 409 in the words of the check', async () => {
    const bot = await makeBot();
    const create = (name: unknown) => send(client, 'POST /apps/create', { bot_id: bot, name });
    const long = 'Must be between 3 and 32 characters.';
    const odd = 'Only lowercase letters, numbers and hyphens. Cannot start or end with hyphen.';
    for (const [name, error] of [
      ['', long],
      ['ab', long],
      ['a'.repeat(33), long],
      ['a'.repeat(20_000), long],
      ['Abc', odd],
      ['-abc', odd],
      ['a.b', odd],
      ['a\r\nb', odd],
      ['höt', odd],
    ] as const)
      assertRefused(await create(name), { status: 400, code: 'invalid_input', error, field: 'name' });
    for (const name of ['api', 'xn--abc', 'botel'])
      assertRefused(await create(name), {
        status: 409,
        code: 'name_reserved',
        error: `"${name}" is a reserved name`,
      });
    assertRefused(await create(undefined), invalidInput('name', 'is required'));
    assertRefused(await create(7), invalidInput('name', 'must be a string'));
    assert.equal((await client.bot(bot)).app, null);
  });

  test('400 for a port or a path that can not be', async () => {
    const bot_id = await makeBot();
    const create = (more: object) => send(client, 'POST /apps/create', { bot_id, name: 'some-name', ...more });
    for (const port of [0, -1, 65_536, 1.5])
      assertRefused(await create({ port }), invalidInput('port', 'must be a whole number between 1 and 65535'));
    assertRefused(await create({ port: '80' }), invalidInput('port', 'must be a number'));
    for (const path of ['health', '/a b', '/a\r\nHost: x', '/\u0000', '/ü', '/a\t', 'http://x/'])
      assertRefused(await create({ health_path: path }), invalidInput('health_path', 'is not valid'), path);
    assertRefused(
      await create({ health_path: `/${'a'.repeat(200)}` }),
      invalidInput('health_path', 'must be between 1 and 200 characters'),
    );
  });

  test('409 for a second app of a bot and for a name of somebody, 404 for a bot of somebody', async () => {
    const app = await makeApp('only-one');
    assertRefused(await send(client, 'POST /apps/create', { bot_id: app.bot_id, name: 'another-one' }), botHasApp);
    const theirs = await makeBot(stranger);
    assertRefused(await send(stranger, 'POST /apps/create', { bot_id: theirs, name: 'only-one' }), taken('only-one'));
    assertRefused(await send(stranger, 'POST /apps/create', { bot_id: app.bot_id, name: 'theirs' }), botNotFound);
    await removeApps(client);
  });

  test('403 beyond the plan; a deleted app makes room', async () => {
    const apps: AppData[] = [];
    for (let n = 0; n < 10; n++) apps.push(await makeApp(`of-plan-${n}`));
    const body = { bot_id: await makeBot(), name: 'one-more' };
    assertRefused(await send(client, 'POST /apps/create', body), {
      status: 403,
      code: 'plan_limit',
      error: 'Plan limit reached: 10 of 10 apps',
    });
    await client.call('POST', '/apps/delete', { app_id: apps[0]?.id });
    assert.equal((await send(client, 'POST /apps/create', body)).status, 201);
    await removeApps(client);
  });

  test('a name claimed by two processes at the same time has one of them', async () => {
    const owner = (await client.call<{ user: { id: string } }>('GET', '/auth/me')).data.user.id;
    const program = checkoutPath('packages/server/test/api/claim-names.ts');
    const claimAll = async () => {
      const bots: string[] = [];
      for (let n = 0; n < 20; n++) bots.push(await makeBot());
      return () => promisify(execFile)(process.execPath, [program, fixture.directory, owner, ...bots]);
    };
    const [one, other] = [await claimAll(), await claimAll()];
    const got = (await Promise.all([one(), other()])).flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    const names = Array.from({ length: 20 }, (_, n) => `raced-${n}`);
    assert.deepEqual(got.toSorted(), names.toSorted());
    await removeApps(client);
  });

  test('one of 100 claims of a name at the same time gets it', async () => {
    const bots = await Promise.all(Array.from({ length: 100 }, (_, n) => makeBot(n % 2 ? client : stranger)));
    const answers = await Promise.all(
      bots.map((bot_id, n) => send(n % 2 ? client : stranger, 'POST /apps/create', { bot_id, name: 'wanted' })),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [201, ...Array.from({ length: 99 }, () => 409)]);
    for (const answer of answers) if (answer.status === 409) assertRefused(answer, taken('wanted'));
    await removeApps(client);
    await removeApps(stranger);
    for (const [n, bot] of bots.entries()) await (n % 2 ? client : stranger).deleteBot(bot);
  });
});

test('the address of apps is as the setting says, that of the check as the specification', async () => {
  await using other = await startFixture({ BOTEL_APPS_URL: 'http://*.apps.localhost:8081' });
  const { id: bot_id } = await other.client.createBot({ ...goodBot, memory: 128 });
  const { data: app } = await other.client.call<AppData>('POST', '/apps/create', { bot_id, name: 'greeter' });
  assert.equal(app.url, 'http://greeter.apps.localhost:8081');
  assert.equal((await other.client.bot(bot_id)).app?.url, app.url);
  const { data: list } = await other.client.call<AppListData>('GET', '/apps');
  assert.equal(list.address, 'http://*.apps.localhost:8081');
  const { data } = await other.guest.call<{ url: string }>('GET', '/apps/check/other-one');
  assert.equal(data.url, 'https://other-one.apps.localhost');
  for (const wrong of ['http://*.apps.example.com', 'http://*.apps.localhost:99999', 'http://apps.localhost', 'x'])
    await assert.rejects(startFixture({ BOTEL_APPS_URL: wrong }), /BOTEL_APPS_URL must be/, wrong);
});

describe('GET /apps', () => {
  test('newest first, in pages, of the caller alone', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await makeApp(`listed-${n}`)).id);
    await makeApp('of-a-stranger', stranger);
    const ids: string[] = [];
    let cursor = '';
    do {
      const { data } = await client.call<AppListData>('GET', `/apps?limit=2${cursor && `&cursor=${cursor}`}`);
      assert.ok(data.apps.length <= 2 && data.count === 5);
      ids.push(...data.apps.map(({ id }) => id));
      cursor = data.next_cursor ?? '';
    } while (cursor);
    assert.deepEqual(ids.toSorted(), made.toSorted());
    assertRefused(await send(client, 'GET /apps?cursor=nonsense'), invalidInput('cursor', 'is not valid'));
    assertRefused(await send(client, 'GET /apps/nonsense'), appNotFound);
    await removeApps(client);
    await removeApps(stranger);
  });
});

describe('POST /apps/update', () => {
  test('changes what is given, and nothing else', async () => {
    const app = await makeApp('changed', client, { port: 80, health_path: '/up' });
    const update = async (change: object) =>
      (await client.call<AppData>('POST', '/apps/update', { app_id: app.id, ...change })).data;
    assert.deepEqual(await update({}), app);
    assert.deepEqual(await update({ port: 81 }), { ...app, port: 81 });
    assert.deepEqual(await update({ port: 0, health_path: '' }), { ...app, port: null, health_path: null });
    const url = 'https://changed-again.apps.example.com';
    const renamed = await update({ name: 'changed-again', health_path: '/' });
    assert.deepEqual(renamed, { ...app, name: 'changed-again', url, port: null, health_path: '/' });
    await removeApps(client);
  });

  test('another bot, unless it has an app or is of somebody else', async () => {
    const [app, other, free] = [await makeApp('moving'), await makeApp('staying'), await makeBot()];
    const move = (bot_id: string) => send(client, 'POST /apps/update', { app_id: app.id, bot_id });
    assertRefused(await move(other.bot_id), botHasApp);
    assertRefused(await move(await makeBot(stranger)), botNotFound);
    assert.equal((await move(free)).status, 200);
    assert.deepEqual([(await client.bot(app.bot_id)).app, (await client.bot(free)).app?.name], [null, 'moving']);
    assert.equal((await move(free)).status, 200);
    await removeApps(client);
  });

  test('a name of somebody is refused; the own one is no change', async () => {
    const [app] = [await makeApp('mine-now'), await makeApp('theirs-now', stranger)];
    const rename = (name: string) => send(client, 'POST /apps/update', { app_id: app.id, name });
    assertRefused(await rename('theirs-now'), taken('theirs-now'));
    assertRefused(await rename('status'), {
      status: 409,
      code: 'name_reserved',
      error: '"status" is a reserved name',
    });
    assert.equal((await rename('mine-now')).status, 200);
    await removeApps(client);
    await removeApps(stranger);
  });

  test('a running bot has another port after its next start, unless its own variable says it', async () => {
    for (const [environment, needsRestart] of [
      [{}, true],
      [{ PORT: '9' }, false],
    ] as const) {
      const bot_id = await makeBot(client, environment);
      await client.lifecycle('start', bot_id);
      await server.settle();
      const { data: app } = await client.call<AppData>('POST', '/apps/create', { bot_id, name: 'on-a-port' });
      await client.call('POST', '/apps/update', { app_id: app.id, health_path: '/x' });
      await client.call('POST', '/apps/update', { app_id: app.id, port: 3000 });
      assert.equal((await client.bot(bot_id)).needs_restart, false, 'that is what it has');
      await client.call('POST', '/apps/update', { app_id: app.id, port: 4000 });
      assert.equal((await client.bot(bot_id)).needs_restart, needsRestart);
      await client.lifecycle('restart', bot_id);
      await server.settle();
      assert.equal((await client.bot(bot_id)).needs_restart, false);
      await removeApps(client);
    }
  });
});

describe('a name that was given up', () => {
  /** As if it had been given up so long ago. */
  const age = (name: string, days: number) =>
    inDatabase(fixture, (db) =>
      db
        .updateTable('apps')
        .set({ freed_at: Date.now() - days * dayMs })
        .where('name', '=', name)
        .where('freed_at', 'is not', null)
        .execute(),
    );

  for (const [how, giveUp] of [
    ['by deleting the app', (app: AppData) => client.call('POST', '/apps/delete', { app_id: app.id })],
    ['by deleting the bot', (app: AppData) => client.deleteBot(app.bot_id)],
    ['by another name', (app: AppData) => client.call('POST', '/apps/update', { app_id: app.id, name: 'elsewhere' })],
  ] as const)
    test(`${how}, is kept 30 days for its last owner, then for everybody`, async () => {
      const name = how.replaceAll(' ', '-');
      await giveUp(await makeApp(name));
      assert.equal(await isAvailable(name), false);
      await assert.rejects(makeApp(name, stranger), { code: 'name_taken' });
      const again = await makeApp(name);
      await client.call('POST', '/apps/delete', { app_id: again.id });
      await age(name, 29.9);
      await assert.rejects(makeApp(name, stranger), { code: 'name_taken' });
      await age(name, 30.1);
      assert.equal(await isAvailable(name), true);
      await makeApp(name, stranger);
      await assert.rejects(makeApp(name), { code: 'name_taken' });
      await removeApps(stranger);
      await removeApps(client);
    });

  test('deleting tells app.deleted, and the bot shows no app any more', async () => {
    const app = await makeApp('told-of');
    const answer = await send<AppData>(client, 'POST /apps/delete', { app_id: app.id });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.message, 'App "told-of" was deleted');
    assert.deepEqual(answer.body.data, app);
    assertRefused(await send(client, `GET /apps/${app.id}`), appNotFound);
    assertRefused(await send(client, 'POST /apps/delete', { app_id: app.id }), appNotFound);
    assert.equal((await client.bot(app.bot_id)).app, null);
    const bot = await makeApp('told-of');
    await client.deleteBot(bot.bot_id);
    const { events } = (
      await client.call<{ events: { bot_id: string; detail: object }[] }>('GET', '/events?type=app.deleted&limit=2')
    ).data;
    assert.deepEqual(
      events.map(({ bot_id, detail }) => ({ bot_id, detail })),
      [
        { bot_id: bot.bot_id, detail: { app_id: bot.id, name: 'told-of' } },
        { bot_id: app.bot_id, detail: { app_id: app.id, name: 'told-of' } },
      ],
    );
  });
});
