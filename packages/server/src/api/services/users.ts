// Accounts and plans for admins. An admin always remains: nobody can suspend or demote themselves.
import { type Caller, ownerOf } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import { defaultPlanId, type Plan } from '../../core/domain/quota.ts';
import type { Ids } from '../../core/lib/ids.ts';
import type { AccountStore, User } from '../../core/store/accounts.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Database } from '../../core/store/database.ts';
import type { PasswordCodes } from '../../core/store/password-codes.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import type { AccountsService } from './accounts.ts';
import type { BotsService } from '../../core/services/bots.ts';
import { type PageQuery, pageOf } from '../../core/services/page.ts';

/** `bots` and `memoryMb`: usage of its plan. */
export interface UserView {
  user: User;
  plan: Plan;
  bots: number;
  memoryMb: number;
}

/** `isFixed`: the plan follows the server's settings. */
export interface PlanView {
  plan: Plan;
  users: number;
  isFixed: boolean;
}

export interface NewUser {
  email: string;
  password: string;
  role: User['role'];
  planId: string;
}

/** The plan fields that admins set; the runtime is left unchanged. */
export type PlanChange = Omit<Plan, 'id' | 'containerRuntime'>;

interface Deps {
  database: Database;
  store: AccountStore;
  accounts: AccountsService;
  authenticator: Pick<Authenticator, 'forget'>;
  bots: BotReader;
  botsService: Pick<BotsService, 'delete'>;
  apps: Pick<AppStore, 'handOver'>;
  passwordCodes: Pick<PasswordCodes, 'removeOf'>;
  ids: Ids;
}

export class UsersService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Accounts in order of creation. */
  async list(query: PageQuery): Promise<{ views: UserView[]; count: number; nextCursor: string | null }> {
    const all = await this.#deps.store.listUsers();
    const { page, nextCursor } = pageOf(all, query);
    return { views: await Promise.all(page.map((user) => this.#viewOf(user))), count: all.length, nextCursor };
  }

  async create({ email, password, role, planId }: NewUser): Promise<UserView> {
    const { store, accounts } = this.#deps;
    if (!(await store.findPlan(planId))) throw fail.planNotFound();
    const user = await accounts.create(email, password, role, planId);
    return this.#viewOf(user);
  }

  async update(caller: Caller, userId: string, change: Partial<Pick<User, 'role' | 'planId'>>): Promise<UserView> {
    const { store } = this.#deps;
    return this.change(caller, userId, async (user) => {
      if (user.id === caller.userId && change.role !== undefined && change.role !== user.role) throw fail.ownAccount();
      if (change.planId !== undefined && !(await store.findPlan(change.planId))) throw fail.planNotFound();
      await store.updateUser(user.id, change);
    });
  }

  /** A suspended account is signed out and can't sign in; its bots are unaffected. */
  async suspend(caller: Caller, userId: string, suspended: boolean): Promise<UserView> {
    return this.change(caller, userId, async (user) => {
      if (user.id === caller.userId) throw fail.ownAccount();
      await this.#deps.store.updateUser(user.id, { suspended });
      if (suspended) await this.#deps.store.removeOtherSessions(user.id, null);
    });
  }

  /**
   * Ends the account; its row goes with its last bot. The admin inherits its reserved app names.
   */
  async remove(caller: Caller, userId: string): Promise<UserView> {
    const { store, bots, botsService, apps, passwordCodes } = this.#deps;
    return this.change(caller, userId, async (user) => {
      if (user.id === caller.userId) throw fail.ownAccount();
      await store.updateUser(user.id, { suspended: true, leaving: true });
      await store.removeOtherSessions(user.id, null);
      await passwordCodes.removeOf(user.id);
      for (const bot of await bots.list({ ownerId: user.id, sort: 'created' }))
        await botsService.delete(ownerOf(bot, caller), bot.id, true);
      await apps.handOver(user.id, caller.userId);
      if (!(await bots.hasAny(user.id))) await store.removeUser(user.id);
    });
  }

  async plans(): Promise<PlanView[]> {
    const { store } = this.#deps;
    const [plans, users] = [await store.listPlans(), await store.listUsers()];
    return plans.map((plan) => planView(plan, users));
  }

  /** `planId` null = creates a plan. */
  async savePlan(planId: string | null, change: PlanChange): Promise<PlanView> {
    const { database, store, ids } = this.#deps;
    return database.transaction(async () => {
      const before = planId === null ? null : await this.#changeablePlan(planId);
      const plan = { ...change, id: before?.id ?? ids.uuid(), containerRuntime: before?.containerRuntime ?? null };
      await store.savePlan(plan);
      return planView(plan, await store.listUsers());
    });
  }

  async deletePlan(planId: string): Promise<PlanView> {
    const { database, store } = this.#deps;
    return database.transaction(async () => {
      const view = planView(await this.#changeablePlan(planId), await store.listUsers());
      if (view.users > 0) throw fail.planInUse(view.users);
      await store.removePlan(planId);
      return view;
    });
  }

  async #changeablePlan(planId: string): Promise<Plan> {
    if (planId === defaultPlanId) throw fail.planFixed();
    const plan = await this.#deps.store.findPlan(planId);
    if (!plan) throw fail.planNotFound();
    return plan;
  }

  /**
   * In a transaction, which rechecks the caller's role: two admins may demote each other at once.
   */
  async change(caller: Caller, userId: string, work: (user: User) => Promise<void>): Promise<UserView> {
    const { database, store, authenticator } = this.#deps;
    const changed = await database.transaction(async () => {
      const admin = await store.findUser({ id: caller.userId });
      if (admin?.role !== 'admin' || admin.suspended) throw fail.missingPermission('admin');
      const user = await store.findUser({ id: userId });
      if (!user || user.leaving) throw fail.userNotFound();
      await work(user);
      return { ...user, ...(await store.findUser({ id: userId })) };
    });
    authenticator.forget(userId);
    return this.#viewOf(changed);
  }

  async #viewOf(user: User): Promise<UserView> {
    const { store, bots } = this.#deps;
    const plan = await store.findPlan(user.planId);
    if (!plan) throw new Error('A user has a plan that does not exist');
    return { user, plan, ...(await bots.reserved(user.id)) };
  }
}

function planView(plan: Plan, users: User[]): PlanView {
  return { plan, users: users.filter(({ planId }) => planId === plan.id).length, isFixed: plan.id === defaultPlanId };
}
