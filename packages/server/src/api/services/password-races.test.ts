// The password changes while a login or another change with the old one is being verified.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Caller } from '../../core/domain/access.ts';
import { defaultPlanId } from '../../core/domain/quota.ts';
import { systemClock as clock } from '../../core/lib/clock.ts';
import { sha256, systemIds as ids } from '../../core/lib/ids.ts';
import { Authenticator } from '../../core/services/authenticator.ts';
import { AccountStore, type User } from '../../core/store/accounts.ts';
import { Database } from '../../core/store/database.ts';
import { PasswordCodes } from '../../core/store/password-codes.ts';
import { SettingStore } from '../../core/store/settings.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';
import { AccountsService } from './accounts.ts';
import { PasswordCodesService } from './password-codes.ts';
import { usePasswordCost } from './password.ts';
import { SessionsService } from './sessions.ts';
import type { UsersService } from './users.ts';

usePasswordCost('cheap');
const directory = mkdtempSync(join(tmpdir(), 'botel-passwords-'));
const database = await Database.open(directory, 'OFF');
after(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs `next` between the first lookup of a user and what its caller does with it. */
class SlowAccountStore extends AccountStore {
  next: (() => Promise<unknown>) | null = null;

  override async findUser(by: { id: string } | { email: string }): Promise<User | null> {
    const user = await super.findUser(by);
    const { next } = this;
    this.next = null;
    await next?.();
    return user;
  }
}

const store = new SlowAccountStore(database);
await insertOwner(database, { id: defaultPlanId });
const codes = new PasswordCodes(database);
const settings = new SettingStore(database);
const authenticator = new Authenticator({ accounts: store, clock });
const accounts = new AccountsService({
  database,
  accounts: store,
  authenticator,
  settings,
  clock,
  ids,
  registrationLimitMb: 0,
  rateSignIn: 1000,
});
const sessions = new SessionsService({ database, store, accounts, authenticator, clock });
const client = { ip: '192.0.2.1', userAgent: '' };
const thief = { ip: '192.0.2.66', userAgent: '' };
const old = 'the old password';
const fresh = 'the new password';
const wrong = { code: 'invalid_credentials' };
let count = 0;

async function signedIn(): Promise<{ email: string; caller: Caller }> {
  const email = `owner${count++}@example.com`;
  await accounts.create(email, old, 'user');
  return { email, caller: await callerOf((await accounts.login(email, old, client)).token) };
}

async function callerOf(token: string): Promise<Caller> {
  const caller = await authenticator.callerOf(token);
  assert.ok(caller);
  return caller;
}

/** Uses a reset code, as the owner does whose password was stolen. */
async function reset(userId: string): Promise<void> {
  const users = {} as UsersService;
  const service = new PasswordCodesService({ database, store, codes, authenticator, users, clock });
  await codes.save({ userId, codeHash: sha256('code'), expiresAt: clock.now() + 1000 });
  await service.use('code', fresh);
}

test('a login with the old password during its change opens no session', async () => {
  const { email, caller } = await signedIn();
  store.next = () => sessions.changePassword(caller, { current: old, next: fresh }, client);
  await assert.rejects(accounts.login(email, old, thief), wrong);
  assert.deepEqual(
    (await store.listSessions(caller.userId, clock.now())).map(({ id }) => id),
    [caller.sessionId],
  );
});

test('a login with the old password during a reset opens no session', async () => {
  const { email, caller } = await signedIn();
  store.next = () => reset(caller.userId);
  await assert.rejects(accounts.login(email, old, thief), wrong);
  assert.deepEqual(await store.listSessions(caller.userId, clock.now()), []);
});

test('a change that began with the old password does not undo a reset', async () => {
  const { email, caller } = await signedIn();
  const stolen = await callerOf((await accounts.login(email, old, thief)).token);
  store.next = () => reset(caller.userId);
  const change = sessions.changePassword(stolen, { current: old, next: 'of the thief!' }, thief);
  await assert.rejects(change, { code: 'unauthorized' });
  await assert.rejects(accounts.login(email, 'of the thief!', thief), wrong);
  await accounts.login(email, fresh, client);
});

test('of two changes at once from the same password only the first counts', async () => {
  const { email, caller } = await signedIn();
  // By the same session, which goes on.
  store.next = () => sessions.changePassword(caller, { current: old, next: fresh }, client);
  await assert.rejects(sessions.changePassword(caller, { current: old, next: 'another new one' }, client), wrong);
  await accounts.login(email, fresh, client);
});

test('a session that ended in the meantime changes no password', async () => {
  const { email, caller } = await signedIn();
  store.next = () => store.removeOtherSessions(caller.userId, null);
  const change = sessions.changePassword(caller, { current: old, next: fresh }, client);
  await assert.rejects(change, { code: 'unauthorized' });
  await accounts.login(email, old, client);
});

test('a login during a suspension opens no session', async () => {
  const { email, caller } = await signedIn();
  store.next = async () => {
    await store.updateUser(caller.userId, { suspended: true });
    await store.removeOtherSessions(caller.userId, null);
  };
  await assert.rejects(accounts.login(email, old, client), { code: 'account_suspended' });
  assert.deepEqual(await store.listSessions(caller.userId, clock.now()), []);
});
