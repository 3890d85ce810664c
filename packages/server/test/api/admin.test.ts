// What admins see and change: accounts, plans, all bots, the machine, settings without secrets.
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type {
  BotOfAdminListData,
  CheckupData,
  MachineHealthData,
  PlanListData,
  PlanOfAdminData,
  SettingListData,
  UserListData,
  UserOfAdminData,
} from '@botel/contract/admin';
import { BotelClient } from '@botel/contract/client';
import { doctorChecks } from '@botel/contract/vocabulary';
import { noGuard } from '../../src/agent/network/firewall.ts';
import { adminEmail, adminPassword, goodBot, startFixture } from '../support/fixture.ts';
import { absent } from './builders.ts';
import { assertRefused, invalidInput, type Refusal, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

const small = { name: 'Small', memory_mb: 512, bots: 2, disk_mb: 64, apps: 1, upload_limit_mb: 5 };
const post = async <T>(path: string, body: object) => (await client.call<T>('POST', path, body)).data;
const users = async () => (await client.call<UserListData>('GET', '/admin/users')).data;
const userBy = async (email: string) => (await users()).users.find((user) => user.email === email)!;
const ownAccount: Refusal = {
  status: 409,
  code: 'own_account',
  error: 'Another admin has to do this to your account',
};
const userNotFound: Refusal = { status: 404, code: 'user_not_found', error: 'User not found' };
const planNotFound: Refusal = { status: 404, code: 'plan_not_found', error: 'Plan not found' };
const planFixed: Refusal = {
  status: 409,
  code: 'plan_fixed',
  error: "The default plan follows the server's settings",
};

describe('accounts', () => {
  test('are listed with what they have of their plans', async () => {
    await client.createBot({ ...goodBot, memory: 256 });
    const { bots, memory_mb: memoryMb, role, plan } = await userBy(adminEmail);
    assert.deepEqual([bots, memoryMb, role, plan.id], [1, 256, 'admin', 'default']);
    const page = (await client.call<UserListData>('GET', '/admin/users?limit=1')).data;
    assert.equal(page.count, 2);
    const next = await client.call<UserListData>('GET', `/admin/users?limit=1&cursor=${page.next_cursor}`);
    assert.equal(next.data.users[0]?.email, 'stranger@example.com');
  });

  test('are made with role and plan, and can sign in', async () => {
    const plan = await post<PlanOfAdminData>('/admin/plans/save', small);
    const made = await post<UserOfAdminData>('/admin/users/create', {
      email: 'New@example.com',
      password: 'a long password',
      plan_id: plan.id,
    });
    assert.deepEqual([made.email, made.role, made.plan.name], ['new@example.com', 'user', 'Small']);
    const own = new BotelClient(fixture.url);
    await own.login('new@example.com', 'a long password');
    assert.equal((await own.usage()).memory.limit_mb, 512);
    const again = { email: 'new@example.com', password: 'a long password' };
    const taken = { status: 409, code: 'already_exists', error: 'Email is already registered' } as const;
    assertRefused(await send(client, 'POST /admin/users/create', again), taken);
    const unknown = { email: 'x@example.com', password: 'a long password', plan_id: 'none' };
    assertRefused(await send(client, 'POST /admin/users/create', unknown), planNotFound);
    assertRefused(
      await send(client, 'POST /admin/users/create', { email: 'x@example.com', password: 'short' }),
      invalidInput('password', 'must be between 12 and 200 characters'),
    );
  });

  test('get another plan and role, but for the role of oneself', async () => {
    const { id } = await userBy('stranger@example.com');
    await post('/admin/users/update', { user_id: id, role: 'admin' });
    assert.equal((await send(stranger, 'GET /admin/users')).status, 200);
    await post('/admin/users/update', { user_id: id, role: 'user' });
    assert.equal((await send(stranger, 'GET /admin/users')).status, 403);
    const own = (await userBy(adminEmail)).id;
    assertRefused(await send(client, 'POST /admin/users/update', { user_id: own, role: 'user' }), ownAccount);
    assertRefused(await send(client, 'POST /admin/users/update', { user_id: id, plan_id: 'none' }), planNotFound);
    assertRefused(await send(client, 'POST /admin/users/update', { user_id: absent }), userNotFound);
  });

  test('are suspended: signed out at once, and let in again', async () => {
    const { id } = await userBy('stranger@example.com');
    await post('/admin/users/suspend', { user_id: id, suspended: true });
    assert.equal((await send(stranger, 'GET /bots')).status, 401);
    const suspended = { code: 'account_suspended' };
    await assert.rejects(new BotelClient(fixture.url).login('stranger@example.com', 'a stranger to them'), suspended);
    await post('/admin/users/suspend', { user_id: id, suspended: false });
    assert.equal((await send(stranger, 'GET /bots')).status, 401, 'its sessions are over');
    await stranger.login('stranger@example.com', 'a stranger to them');
    const own = (await userBy(adminEmail)).id;
    assertRefused(await send(client, 'POST /admin/users/suspend', { user_id: own, suspended: true }), ownAccount);
    assertRefused(await send(client, 'POST /admin/users/suspend', { user_id: absent, suspended: true }), userNotFound);
  });
});

describe('plans', () => {
  const plans = async () => (await client.call<PlanListData>('GET', '/admin/plans')).data.plans;

  test('are made, changed for whoever has them, and deleted when nobody has', async () => {
    const { id } = await post<PlanOfAdminData>('/admin/plans/save', { ...small, name: 'Middle' });
    const { id: user } = await post<UserOfAdminData>('/admin/users/create', {
      email: 'middle@example.com',
      password: 'a long password',
      plan_id: id,
    });
    await post('/admin/plans/save', { ...small, plan_id: id, name: 'Larger', memory_mb: 1024, network_mbit: 10 });
    const larger = (await plans()).find((plan) => plan.id === id);
    assert.deepEqual(
      [larger?.name, larger?.memory_mb, larger?.network_mbit, larger?.users, larger?.fixed],
      ['Larger', 1024, 10, 1, false],
    );
    const inUse = { status: 409, code: 'plan_in_use', error: 'Plan is in use: 1 users' } as const;
    assertRefused(await send(client, 'POST /admin/plans/delete', { plan_id: id }), inUse);
    await post('/admin/users/update', { user_id: user, plan_id: 'default' });
    await post('/admin/plans/delete', { plan_id: id });
    assert.equal(
      (await plans()).some((plan) => plan.id === id),
      false,
    );
    assertRefused(await send(client, 'POST /admin/plans/delete', { plan_id: id }), planNotFound);
    assertRefused(await send(client, 'POST /admin/plans/save', { ...small, plan_id: id }), planNotFound);
  });

  test('the default one is what the settings say', async () => {
    assert.equal((await plans()).find(({ id }) => id === 'default')?.fixed, true);
    assertRefused(await send(client, 'POST /admin/plans/save', { ...small, plan_id: 'default' }), planFixed);
    assertRefused(await send(client, 'POST /admin/plans/delete', { plan_id: 'default' }), planFixed);
    assertRefused(
      await send(client, 'POST /admin/plans/save', { ...small, memory_mb: 1 }),
      invalidInput('memory_mb', 'must be a whole number between 128 and 1000000000'),
    );
  });
});

describe('the machine', () => {
  test('the bots of everybody are listed, with their owners and without what is theirs', async () => {
    const { id } = await stranger.createBot({ ...goodBot, name: 'theirs', environment: { TOKEN: 'hidden' } });
    const { bots, count } = (await client.call<BotOfAdminListData>('GET', '/admin/bots')).data;
    const bot = bots.find((each) => each.id === id);
    assert.deepEqual([bot?.name, bot?.owner.email, bot?.status], ['theirs', 'stranger@example.com', 'offline']);
    assert.equal(count, bots.length);
    assert.ok(!JSON.stringify(bots).includes('TOKEN'));
    assert.equal((await send(client, `GET /bots/${id}`)).status, 404);
  });

  test('its parts are fine, or say what is wrong', async () => {
    const health = (await client.call<MachineHealthData>('GET', '/admin/health')).data;
    assert.deepEqual(
      health.checks.map(({ part }) => part),
      ['database', 'agent', 'engine', 'firewall', 'disk', 'queue'],
    );
    assert.equal(health.oldest_wait_seconds, 0);
    assert.ok(health.memory.total_mb > 0 && health.disk.total_mb > 0 && health.processors > 0);
    const { blocks, bfree, bavail, bsize } = statfsSync(fixture.directory);
    const usable = ((blocks - bfree + bavail) * bsize) / 1024 ** 2;
    assert.ok(
      Math.abs(health.disk.total_mb / usable - 1) < 0.01,
      'the total of the percentage that df and doctor show',
    );
    assert.equal(health.bots.total, (await client.call<BotOfAdminListData>('GET', '/admin/bots')).data.count);
    await using closed = await startFixture({}, { ...noGuard, lastFault: 'open' });
    const { checks } = (await closed.client.call<MachineHealthData>('GET', '/admin/health')).data;
    assert.deepEqual(
      checks.filter(({ fault }) => fault !== null),
      [{ part: 'firewall', fault: 'firewall' }],
    );
  });

  test('periodic tasks show when they ran last', async () => {
    await fixture.server.runTask('prune-runs');
    const { tasks } = (await client.call<MachineHealthData>('GET', '/admin/health')).data;
    const task = tasks.find(({ name }) => name === 'prune-runs');
    assert.equal(task?.period_seconds, 3600);
    assert.ok(task.last_run && Date.parse(task.last_run.started_at) <= Date.now() && task.last_run.duration_ms >= 0);
    assert.equal(task.last_error, null);
    assert.equal(tasks.find(({ name }) => name === 'prune-events')?.last_run, null);
  });

  test('the doctor looks at it: every check is there, and those who ask at once get one look', async () => {
    const look = async () => (await client.call<CheckupData>('GET', '/admin/doctor')).data;
    const [first, second] = await Promise.all([look(), look()]);
    assert.deepEqual(first, second);
    const { findings } = first;
    assert.deepEqual([...new Set(findings.map(({ check }) => check))], doctorChecks);
    assert.deepEqual(
      findings.find(({ check }) => check === 'engine'),
      { check: 'engine', state: 'warn', text: 'BOTEL_ENGINE is fake: bots do not really run', advice: null },
    );
    for (const { state, text, advice } of findings) assert.ok(text && (state !== 'fix' || advice), text);
    assert.ok(!JSON.stringify(findings).includes(adminPassword));
    assert.equal((await send(stranger, 'GET /admin/doctor')).status, 403);
  });

  test('settings are shown as they count, without those that are secret', async () => {
    const { settings } = (await client.call<SettingListData>('GET', '/admin/settings')).data;
    const valueOf = (name: string) => settings.find((setting) => setting.name === name)?.value;
    assert.equal(valueOf('BOTEL_ENGINE'), 'fake');
    assert.equal(valueOf('BOTEL_ADMIN_PASSWORD'), undefined);
    const all = JSON.stringify(settings);
    for (const secret of [adminPassword, '[object']) assert.ok(!all.includes(secret), secret);
  });
});
