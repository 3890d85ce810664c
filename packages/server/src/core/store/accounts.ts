// The tables `plans`, `users` and `sessions`. Must not hash passwords or judge tokens.
import type { Role } from '@botel/contract/vocabulary';
import type { Selectable } from 'kysely';
import type { Plan } from '../domain/quota.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';
import type { UserTable } from './account-tables.ts';
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

export class AccountStore extends Store {
  /** Creates the plan or brings it to these values. */
  async savePlan(plan: Plan): Promise<void> {
    const row = toColumns(plan);
    await this.db
      .insertInto('plans')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }

  async findPlan(id: string): Promise<Plan | null> {
    const row = await this.db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  /** The plan of a user. */
  async findPlanOf(userId: string): Promise<Plan | null> {
    const row = await this.db
      .selectFrom('plans')
      .innerJoin('users', 'users.plan_id', 'plans.id')
      .selectAll('plans')
      .where('users.id', '=', userId)
      .executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  /** Containers that run, builds too, and the bandwidth (Mbit/s) that their owners' plans give them. */
  async limitedContainers(): Promise<{ containerId: string; mbit: number }[]> {
    const rows = await this.db
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
    await this.db.insertInto('users').values(toColumns(user)).execute();
  }

  async findUser(by: { id: string } | { email: string }): Promise<User | null> {
    const select = this.db.selectFrom('users').selectAll();
    const row = await ('id' in by
      ? select.where('id', '=', by.id)
      : select.where('email', '=', by.email)
    ).executeTakeFirst();
    return row ? toUser(row) : null;
  }

  async listUsers(): Promise<User[]> {
    return (await this.db.selectFrom('users').selectAll().orderBy('created_at').execute()).map(toUser);
  }

  async listPlans(): Promise<Plan[]> {
    return (await this.db.selectFrom('plans').selectAll().orderBy('name').orderBy('id').execute()).map(toPlan);
  }

  async removePlan(id: string): Promise<void> {
    await this.db.deleteFrom('plans').where('id', '=', id).execute();
  }

  /** What an admin changes of an account. */
  async updateUser(
    id: string,
    change: Partial<Pick<User, 'role' | 'planId' | 'suspended' | 'leaving'>>,
  ): Promise<void> {
    const columns = toColumns(change);
    if (Object.keys(columns).length === 0) return;
    await this.db.updateTable('users').set(columns).where('id', '=', id).execute();
  }

  async setPassword(userId: string, passwordHash: string): Promise<void> {
    await this.db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
  }

  /**
   * Makes concurrent reservations of one user wait for each other until the transaction ends. Call first in a
   * transaction that reads what is used and then adds to it.
   */
  async lockReservations(userId: string): Promise<void> {
    await this.db
      .updateTable('users')
      .set((set) => ({ reservations: set('reservations', '+', 1) }))
      .where('id', '=', userId)
      .execute();
  }

  async insertSession(session: Session): Promise<void> {
    await this.db.insertInto('sessions').values(toColumns(session)).execute();
  }

  async findSession(tokenHash: string): Promise<Session | null> {
    const row = await this.db.selectFrom('sessions').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
    return row ? fromColumns(row) : null;
  }

  /** Whether the session exists and has not run out at `now` (ms). */
  async hasSession(id: string, now: number): Promise<boolean> {
    const row = await this.db
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Whether the user has a session that was made from the address `ip` and has not run out at `now` (ms). */
  async hasSessionFrom(userId: string, ip: string, now: number): Promise<boolean> {
    const row = await this.db
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
    const rows = await this.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(fromColumns);
  }

  async touchSession(id: string, lastUsedAt: number, expiresAt: number): Promise<void> {
    await this.db
      .updateTable('sessions')
      .set({ last_used_at: lastUsedAt, expires_at: expiresAt })
      .where('id', '=', id)
      .execute();
  }

  async removeSession(id: string): Promise<void> {
    await this.db.deleteFrom('sessions').where('id', '=', id).execute();
  }

  /** All sessions of a user but one; null = all. */
  async removeOtherSessions(userId: string, keptId: string | null): Promise<void> {
    const others = this.db.deleteFrom('sessions').where('user_id', '=', userId);
    await (keptId === null ? others : others.where('id', '!=', keptId)).execute();
  }

  /** The account and its sessions; it has no bots and no apps. */
  async removeUser(id: string): Promise<void> {
    await this.db.deleteFrom('users').where('id', '=', id).execute();
  }

  async removeExpiredSessions(now: number): Promise<void> {
    await this.db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  }
}

function toPlan(row: Selectable<PlanTable>): Plan {
  return { ...fromColumns(row), internet: row.internet === 1 };
}

function toUser({ reservations: _, ...row }: Selectable<UserTable>): User {
  return { ...fromColumns(row), suspended: row.suspended === 1, leaving: row.leaving === 1 };
}
