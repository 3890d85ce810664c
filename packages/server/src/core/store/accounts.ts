// The tables `plans`, `users` and `sessions`. Must not hash passwords or judge tokens.
import type { Role } from '@botel/contract/vocabulary';
import type { Selectable } from 'kysely';
import type { Plan } from '../domain/quota.ts';
import type { Database } from './database.ts';
import type { SessionTable, UserTable } from './account-tables.ts';
import type { PlanTable } from './schema.ts';

/** An account. Times are ms since the epoch. */
export interface User {
  id: string;
  email: string;
  passwordHash: string;
  role: Role;
  planId: string;
  suspended: boolean;
  /** It is being deleted, and goes with the last of its bots. */
  leaving: boolean;
  createdAt: number;
}

/** A login. The token itself is never stored, only its SHA-256. */
export interface Session {
  id: string;
  userId: string;
  tokenHash: string;
  ip: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

export class AccountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates the plan or brings it to these values. */
  async savePlan(plan: Plan): Promise<void> {
    const row = {
      name: plan.name,
      memory_mb: plan.memoryMb,
      bots: plan.bots,
      disk_mb: plan.diskMb,
      apps: plan.apps,
      upload_mb: plan.uploadMb,
      internet: plan.internet ? 1 : 0,
      network_mbit: plan.networkMbit,
      container_runtime: plan.containerRuntime,
    };
    await this.#database.db
      .insertInto('plans')
      .values({ id: plan.id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }

  async findPlan(id: string): Promise<Plan | null> {
    const row = await this.#database.db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  /** The plan of a user. */
  async findPlanOf(userId: string): Promise<Plan | null> {
    const row = await this.#database.db
      .selectFrom('plans')
      .innerJoin('users', 'users.plan_id', 'plans.id')
      .selectAll('plans')
      .where('users.id', '=', userId)
      .executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  /** Containers that run, builds too, and the bandwidth (Mbit/s) that their owners' plans give them. */
  async limitedContainers(): Promise<{ containerId: string; mbit: number }[]> {
    const rows = await this.#database.db
      .selectFrom('observations')
      .innerJoin('bots', 'bots.id', 'observations.bot_id')
      .innerJoin('users', 'users.id', 'bots.owner_id')
      .innerJoin('plans', 'plans.id', 'users.plan_id')
      .select(['container_id', 'network_mbit'])
      .where('run_state', '=', 'running')
      .where('network_mbit', 'is not', null)
      .execute();
    return rows.flatMap(({ container_id: containerId, network_mbit: mbit }) =>
      containerId === null || mbit === null ? [] : [{ containerId, mbit }],
    );
  }

  async insertUser(user: User): Promise<void> {
    await this.#database.db
      .insertInto('users')
      .values({
        id: user.id,
        email: user.email,
        password_hash: user.passwordHash,
        role: user.role,
        plan_id: user.planId,
        suspended: user.suspended ? 1 : 0,
        created_at: user.createdAt,
      })
      .execute();
  }

  async findUser(by: { id: string } | { email: string }): Promise<User | null> {
    const select = this.#database.db.selectFrom('users').selectAll();
    const row = await ('id' in by
      ? select.where('id', '=', by.id)
      : select.where('email', '=', by.email)
    ).executeTakeFirst();
    return row ? toUser(row) : null;
  }

  async listUsers(): Promise<User[]> {
    return (await this.#database.db.selectFrom('users').selectAll().orderBy('created_at').execute()).map(toUser);
  }

  async listPlans(): Promise<Plan[]> {
    return (await this.#database.db.selectFrom('plans').selectAll().orderBy('name').orderBy('id').execute()).map(
      toPlan,
    );
  }

  async removePlan(id: string): Promise<void> {
    await this.#database.db.deleteFrom('plans').where('id', '=', id).execute();
  }

  /** What an admin changes of an account. */
  async updateUser(
    id: string,
    change: Partial<Pick<User, 'role' | 'planId' | 'suspended' | 'leaving'>>,
  ): Promise<void> {
    const columns = {
      ...(change.role !== undefined && { role: change.role }),
      ...(change.planId !== undefined && { plan_id: change.planId }),
      ...(change.suspended !== undefined && { suspended: change.suspended ? 1 : 0 }),
      ...(change.leaving !== undefined && { leaving: change.leaving ? 1 : 0 }),
    };
    if (Object.keys(columns).length === 0) return;
    await this.#database.db.updateTable('users').set(columns).where('id', '=', id).execute();
  }

  async setPassword(userId: string, passwordHash: string): Promise<void> {
    await this.#database.db
      .updateTable('users')
      .set({ password_hash: passwordHash })
      .where('id', '=', userId)
      .execute();
  }

  /**
   * Makes concurrent reservations of one user wait for each other until the transaction ends. Call first in a
   * transaction that reads what is used and then adds to it.
   */
  async lockReservations(userId: string): Promise<void> {
    await this.#database.db
      .updateTable('users')
      .set((set) => ({ reservations: set('reservations', '+', 1) }))
      .where('id', '=', userId)
      .execute();
  }

  async insertSession(session: Session): Promise<void> {
    await this.#database.db
      .insertInto('sessions')
      .values({
        id: session.id,
        user_id: session.userId,
        token_hash: session.tokenHash,
        ip: session.ip,
        user_agent: session.userAgent,
        created_at: session.createdAt,
        last_used_at: session.lastUsedAt,
        expires_at: session.expiresAt,
      })
      .execute();
  }

  async findSession(tokenHash: string): Promise<Session | null> {
    const row = await this.#database.db
      .selectFrom('sessions')
      .selectAll()
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
    return row ? toSession(row) : null;
  }

  /** Whether the session exists and has not run out at `now` (ms). */
  async hasSession(id: string, now: number): Promise<boolean> {
    const row = await this.#database.db
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Whether the user has a session that was made from the address `ip` and has not run out at `now` (ms). */
  async hasSessionFrom(userId: string, ip: string, now: number): Promise<boolean> {
    const row = await this.#database.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', userId)
      .where('ip', '=', ip)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Sessions of a user that have not run out at `now` (ms), last used first. */
  async listSessions(userId: string, now: number): Promise<Session[]> {
    const rows = await this.#database.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toSession);
  }

  async touchSession(id: string, lastUsedAt: number, expiresAt: number): Promise<void> {
    await this.#database.db
      .updateTable('sessions')
      .set({ last_used_at: lastUsedAt, expires_at: expiresAt })
      .where('id', '=', id)
      .execute();
  }

  async removeSession(id: string): Promise<void> {
    await this.#database.db.deleteFrom('sessions').where('id', '=', id).execute();
  }

  /** All sessions of a user but one; null = all. */
  async removeOtherSessions(userId: string, keptId: string | null): Promise<void> {
    const others = this.#database.db.deleteFrom('sessions').where('user_id', '=', userId);
    await (keptId === null ? others : others.where('id', '!=', keptId)).execute();
  }

  /** The account and its sessions; it has no bots and no apps. */
  async removeUser(id: string): Promise<void> {
    await this.#database.db.deleteFrom('users').where('id', '=', id).execute();
  }

  async removeExpiredSessions(now: number): Promise<void> {
    await this.#database.db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  }
}

function toPlan(row: Selectable<PlanTable>): Plan {
  return {
    id: row.id,
    name: row.name,
    memoryMb: row.memory_mb,
    bots: row.bots,
    diskMb: row.disk_mb,
    apps: row.apps,
    uploadMb: row.upload_mb,
    internet: row.internet === 1,
    networkMbit: row.network_mbit,
    containerRuntime: row.container_runtime,
  };
}

function toSession(row: Selectable<SessionTable>): Session {
  return {
    id: row.id,
    userId: row.user_id,
    tokenHash: row.token_hash,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

function toUser(row: Selectable<UserTable>): User {
  return {
    id: row.id,
    email: row.email,
    passwordHash: row.password_hash,
    role: row.role,
    planId: row.plan_id,
    suspended: row.suspended === 1,
    leaving: row.leaving === 1,
    createdAt: row.created_at,
  };
}
