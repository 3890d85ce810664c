// `botel admin …`: accounts and tokens, directly in the database, with or without a running server.
import { text as readText } from 'node:stream/consumers';
import { loginBody, registerBody } from '@botel/contract/accounts';
import { fail } from '../core/domain/errors.ts';
import { refuseLostDatabase } from '../core/data-folder/install-id.ts';
import { systemClock } from '../core/lib/clock.ts';
import { printable } from '../core/lib/printable.ts';
import { systemIds } from '../core/lib/ids.ts';
import { Authenticator } from '../core/services/authenticator.ts';
import { AccountsService } from '../api/services/accounts.ts';
import { shareData } from '../core/data-folder/share-data.ts';
import { AccountStore } from '../core/store/accounts.ts';
import { Database } from '../core/store/database.ts';
import { SettingStore } from '../core/store/settings.ts';
import { type PlanOptions, planChange, planText } from './plan-options.ts';
import { ownConfig } from './own-config.ts';

interface Access {
  store: AccountStore;
  service: AccountsService;
}

async function withAccounts(work: (access: Access) => Promise<void>): Promise<void> {
  const config = ownConfig();
  refuseLostDatabase(config.dataDirectory);
  const database = await Database.open(config.dataDirectory);
  try {
    const store = new AccountStore(database);
    const service = new AccountsService({
      database,
      accounts: store,
      authenticator: new Authenticator({ accounts: store, clock: systemClock }),
      settings: new SettingStore(database),
      clock: systemClock,
      ids: systemIds,
      registrationLimitMb: 0,
      rateSignIn: config.rateSignIn,
    });
    await work({ store, service });
  } finally {
    await database.close();
    shareData(config);
  }
}

async function userOf(store: AccountStore, email: string) {
  const user = await store.findUser({ email: email.toLowerCase() });
  if (!user) throw new Error(`There is no account ${email}`);
  return user;
}

/** Reads the password from standard input, since arguments are visible to other processes. */
export async function createUser(email: string, options: { admin?: boolean }): Promise<void> {
  if (process.stdin.isTTY) process.stderr.write('Password (12 to 200 characters), then Ctrl-D: ');
  const password = (await readText(process.stdin)).replace(/\r?\n$/, '');
  const checked = registerBody.safeParse({ email, password });
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw fail.invalidInput(String(issue?.path[0]), issue?.message ?? 'is not valid');
  }
  await withAccounts(async ({ service }) => {
    const user = await service.create(checked.data.email, password, options.admin ? 'admin' : 'user');
    console.log(`${printable(user.email)} (${user.role}) was created`);
  });
}

export async function listUsers(): Promise<void> {
  await withAccounts(async ({ store }) => {
    console.log(['email', 'role', 'plan', 'memory_mb', 'bots', 'disk_mb', 'apps', 'created_at'].join('\t'));
    for (const user of await store.listUsers()) {
      const { memoryMb, bots, diskMb, apps } = (await store.findPlan(user.planId)) ?? {};
      const numbers = [memoryMb, bots, diskMb, apps];
      const [email, createdAt] = [printable(user.email), new Date(user.createdAt).toISOString()];
      console.log([email, user.role, user.planId, ...numbers, createdAt].join('\t'));
    }
  });
}

/** Creates or changes the account's own plan; unset options keep the values of its current plan. */
export async function setPlan(email: string, options: PlanOptions): Promise<void> {
  const change = planChange(options);
  await withAccounts(async ({ store }) => {
    const user = await userOf(store, email);
    const before = await store.findPlan(user.planId);
    if (!before) throw new Error(`The plan ${user.planId} does not exist`);
    const plan = { ...before, ...change, id: `user-${user.id}`, name: `Plan of ${user.email}` };
    await store.savePlan(plan);
    await store.updateUser(user.id, { planId: plan.id });
    console.log(`${printable(user.email)} now has ${planText(plan)}`);
  });
}

/** Prints only a session token, for use in pipes. */
export async function printToken(email: string): Promise<void> {
  const checked = loginBody.shape.email.safeParse(email);
  if (!checked.success) throw fail.invalidInput('email', 'is not valid');
  await withAccounts(async ({ store, service }) => {
    console.log((await service.issueToken((await userOf(store, email)).id)).token);
  });
}
