// What admins do to others: bots that may not run, codes for a new password, accounts that are
// deleted with all they have.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type {
  BotOfAdminData,
  OverviewData,
  PasswordCodeData,
  UserListData,
  UserOfAdminData,
} from '@botel/contract/admin';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { absent } from './builders.ts';
import { assertRefused, type Refusal, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, url, server } = fixture;

const password = 'a long password';
const post = async <T>(path: string, body: object) => (await client.call<T>('POST', path, body)).data;
const users = async () => (await client.call<UserListData>('GET', '/admin/users')).data.users;
const suspended: Refusal = { status: 403, code: 'bot_suspended', error: 'Bot is suspended' };
const userNotFound: Refusal = { status: 404, code: 'user_not_found', error: 'User not found' };
const codeInvalid: Refusal = { status: 403, code: 'invite_invalid', error: 'Invite is invalid or expired' };

/** Someone with an account, signed in. */
async function someone(email: string): Promise<{ id: string; own: BotelClient }> {
  const { id } = await post<UserOfAdminData>('/admin/users/create', { email, password });
  const own = new BotelClient(url);
  await own.login(email, password);
  return { id, own };
}

const untilStatus = (who: BotelClient, id: string, status: string) =>
  until(async () => (await who.bot(id)).status === status);

describe('a suspended bot', async () => {
  const bot = await stranger.createBot({ ...goodBot, name: 'nuisance', startup_command: 'node serve' });
  const suspend = (change: object) => post<BotOfAdminData>('/admin/bots/suspend', { bot_id: bot.id, ...change });

  test('is taken down, and its owner reads why', async () => {
    await stranger.lifecycle('start', bot.id);
    await untilStatus(stranger, bot.id, 'online');
    const shown = await suspend({ suspended: true, reason: 'sends spam' });
    assert.deepEqual([shown.suspended, shown.suspended_reason, shown.status], [true, 'sends spam', 'stopping']);
    await untilStatus(stranger, bot.id, 'offline');
    const now = await stranger.bot(bot.id);
    assert.deepEqual(
      [now.suspended, now.suspended_reason, now.status_reason, now.desired_status, now.next_restart_at],
      [true, 'sends spam', 'suspended', 'offline', null],
    );
    const { data } = await stranger.call<{ events: { message: string; actor: { name: string } }[] }>(
      'GET',
      `/bots/${bot.id}/events?type=bot.suspended`,
    );
    assert.deepEqual(
      data.events.map(({ message, actor }) => [message, actor.name]),
      [['Bot "nuisance" was suspended: sends spam', adminEmail]],
    );
  });

  test('does not start, restart or build, whoever asks; it can be looked at and deleted', async () => {
    for (const verb of ['start', 'restart', 'reinstall'])
      assertRefused(await send(stranger, `POST /bots/${verb}`, { bot_id: bot.id }), suspended, verb);
    const { data } = await stranger.call<{ id: string }>('POST', `/bots/${bot.id}/schedules`, {
      name: 'wake up',
      cron: '0 0 1 1 *',
      action: 'start',
    });
    await stranger.call('POST', '/schedules/run', { schedule_id: data.id });
    const run = await until(async () => {
      const path = `/schedules/${data.id}/runs`;
      const { runs } = (await stranger.call<{ runs: { error: string | null }[] }>('GET', path)).data;
      return runs[0];
    });
    assert.equal(run.error, 'Bot is suspended');
    assert.equal((await send(stranger, 'POST /bots/update', { bot_id: bot.id, name: 'nuisance' })).status, 200);
  });

  test('runs again when its owner starts it, once it may', async () => {
    const again = await suspend({ suspended: false });
    assert.deepEqual([again.suspended, again.suspended_reason, again.status], [false, null, 'offline']);
    assert.equal((await stranger.bot(bot.id)).status_reason, null);
    await stranger.lifecycle('start', bot.id);
    await untilStatus(stranger, bot.id, 'online');
  });

  test('is suspended without a word too; a build ends with it; one that never was is not found', async () => {
    assert.equal((await suspend({ suspended: true })).suspended_reason, '');
    await untilStatus(stranger, bot.id, 'offline');
    const botNotFound: Refusal = { status: 404, code: 'bot_not_found', error: 'Bot not found' };
    const unknown = { bot_id: absent, suspended: true };
    assertRefused(await send(client, 'POST /admin/bots/suspend', unknown), botNotFound);
    assert.equal((await send(stranger, 'POST /admin/bots/suspend', unknown)).status, 403);
    await suspend({ suspended: false });
  });

  test('the overview tells of memory, of who uses most and of what failed', async () => {
    const failing = await stranger.createBot({ ...goodBot, memory: 128, startup_command: 'exit 3' });
    await stranger.lifecycle('start', failing.id);
    await until(async () => (await stranger.bot(failing.id)).last_exit !== null);
    await stranger.lifecycle('start', bot.id);
    await untilStatus(stranger, bot.id, 'online');
    await server.runTask('collect-usage');
    const overview = (await client.call<OverviewData>('GET', '/admin/overview')).data;
    assert.equal(overview.memory.promised_mb, 256 + 128);
    const [first] = overview.consumers;
    assert.deepEqual([first?.name, first?.owner.email], ['nuisance', 'stranger@example.com']);
    assert.ok(first && first.memory_mb > 0 && overview.memory.used_mb >= first.memory_mb);
    const failure = overview.failures.bots.find(({ bot_id: id }) => id === failing.id);
    assert.deepEqual([failure?.last_reason, failure!.count >= 1], ['crashed', true]);
    assert.ok(overview.failures.count >= failure!.count);
    await stranger.call('POST', '/bots/delete', { bot_id: failing.id, force: true });
  });
});

describe('a code for a new password', () => {
  test('is good once; all sessions end with it', async () => {
    const { id, own } = await someone('forgot@example.com');
    const first = await post<PasswordCodeData>('/admin/users/reset', { user_id: id });
    const { code, user, expires_at: expiresAt } = await post<PasswordCodeData>('/admin/users/reset', { user_id: id });
    assert.equal(user.email, 'forgot@example.com');
    assert.ok(Date.parse(expiresAt) - Date.now() > 23 * 60 * 60 * 1000);
    assert.equal((await own.usage()).bots.used, 0, 'nothing changes before it is used');
    const use = (given: string) =>
      send(fixture.guest, 'POST /auth/reset', { code: given, new_password: 'quite another one' });
    assertRefused(await use(first.code), codeInvalid, 'a newer one replaced it');
    assert.equal((await use(code)).status, 200);
    assert.equal((await send(own, 'GET /bots')).status, 401);
    await own.login('forgot@example.com', 'quite another one');
    assertRefused(await use(code), codeInvalid, 'it was used');
    const [row] = await inDatabase(fixture, (db) => db.selectFrom('password_codes').selectAll().execute());
    assert.equal(row, undefined);
  });

  test('runs out, is kept as a hash, and a short password does not use it up', async () => {
    const { id } = await someone('late@example.com');
    const { code } = await post<PasswordCodeData>('/admin/users/reset', { user_id: id });
    const short = await send(fixture.guest, 'POST /auth/reset', { code, new_password: 'short' });
    assert.equal(short.status, 400);
    const rows = await inDatabase(fixture, (db) => db.selectFrom('password_codes').selectAll().execute());
    assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(code));
    await inDatabase(fixture, (db) => db.updateTable('password_codes').set({ expires_at: 1 }).execute());
    assertRefused(await send(fixture.guest, 'POST /auth/reset', { code, new_password: password }), codeInvalid);
    await server.runTask('prune-sessions');
    assert.deepEqual(await inDatabase(fixture, (db) => db.selectFrom('password_codes').selectAll().execute()), []);
    assertRefused(await send(client, 'POST /admin/users/reset', { user_id: absent }), userNotFound);
  });
});

describe('an account that is deleted', () => {
  test('takes its bots, their files and its sessions along; nobody deletes itself', async () => {
    const { id, own } = await someone('leaves@example.com');
    const bot = await own.createBot({ ...goodBot, startup_command: 'node serve' });
    await own.writeFile(bot.id, 'index.js', '1');
    await own.call('POST', '/apps/create', { bot_id: bot.id, name: 'leaving' });
    await own.lifecycle('start', bot.id);
    await untilStatus(own, bot.id, 'online');
    const home = join(fixture.directory, 'homes', bot.id);
    assert.ok(existsSync(home));
    const gone = await post<UserOfAdminData>('/admin/users/delete', { user_id: id });
    assert.deepEqual([gone.email, gone.deleting, gone.suspended], ['leaves@example.com', true, true]);
    assert.equal((await send(own, 'GET /bots')).status, 401);
    await assert.rejects(new BotelClient(url).login('leaves@example.com', password));
    await until(async () => !(await users()).some((user) => user.id === id));
    assert.ok(!existsSync(home));
    assert.equal((await client.bots()).length, 0);
    const held = await stranger.call<{ available: boolean }>('GET', '/apps/check/leaving');
    assert.equal(held.data.available, false, 'whoever links to the app is not led to a stranger');
    assertRefused(await send(client, 'POST /admin/users/delete', { user_id: id }), userNotFound);
    const self = (await users()).find(({ email }) => email === adminEmail)!.id;
    const ownAccount: Refusal = {
      status: 409,
      code: 'own_account',
      error: 'Another admin has to do this to your account',
    };
    assertRefused(await send(client, 'POST /admin/users/delete', { user_id: self }), ownAccount);
  });

  test('is gone at once when it has no bots; its email is free again', async () => {
    const { id } = await someone('brief@example.com');
    await post('/admin/users/delete', { user_id: id });
    assert.ok(!(await users()).some((user) => user.id === id));
    await someone('brief@example.com');
  });

  test('while its bots go it is neither let in, nor changed, nor deleted again', async () => {
    const { id, own } = await someone('slow@example.com');
    await own.createBot(goodBot);
    await inDatabase(fixture, (db) =>
      db.updateTable('users').set({ suspended: 1, leaving: 1 }).where('id', '=', id).execute(),
    );
    const leaving = (await users()).find((user) => user.id === id);
    assert.deepEqual([leaving?.deleting, leaving?.suspended], [true, true]);
    const calls = { suspend: { suspended: false }, update: { role: 'admin' }, reset: {}, delete: {} };
    for (const [verb, body] of Object.entries(calls))
      assertRefused(await send(client, `POST /admin/users/${verb}`, { user_id: id, ...body }), userNotFound, verb);
  });
});
