// An account with a small plan, for tests on the real database.
import type { Plan } from '../../src/core/domain/quota.ts';
import { AccountStore } from '../../src/core/store/accounts.ts';
import type { Database } from '../../src/core/store/database.ts';

/** Stores the owner of sample-bot.ts, or another one, and the plan. */
export async function insertOwner(database: Database, plan: Partial<Plan> = {}, id = 'owner'): Promise<void> {
  const accounts = new AccountStore(database);
  const whole: Plan = {
    id: 'p',
    name: 'p',
    memoryMb: 1,
    bots: 1,
    diskMb: 1,
    apps: 1,
    uploadMb: 1,
    internet: true,
    containerRuntime: null,
    networkMbit: null,
    ...plan,
  };
  await accounts.savePlan(whole);
  const user = { id, email: id, passwordHash: '', role: 'user' as const, planId: whole.id };
  await accounts.insertUser({ ...user, suspended: false, leaving: false, createdAt: 0 });
}
