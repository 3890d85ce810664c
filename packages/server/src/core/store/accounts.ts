// The tables `plans`, `users` and `sessions`.
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
  /** Being deleted; the account goes with the last of its bots. */
  leaving: boolean;
  createdAt: number;
}

/** A login session. Only the SHA-256 of its token is stored. */
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
  /** Creates or updates the plan. */
  async savePlan(plan: Plan): Promise<void> {
    const row = toColumns(plan);
    await this.db
      .insertInto('plans')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }

  /** Memory (MB) that the plans of all accounts promise together. */
  async promisedMemoryMb(): Promise<number> {
    const row = await this.db
      .selectFrom('users')
      .innerJoin('plans', 'plans.id', 'users.plan_id')
      .select((select) => select.fn.sum<number | null>('memory_mb').as('memory'))
      .executeTakeFirstOrThrow();
    return Number(row.memory ?? 0);
  }

  async findPlan(id: string): Promise<Plan | null> {
    const row = await this.db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  async findPlanOf(userId: string): Promise<Plan | null> {
    const row = await this.db
      .selectFrom('plans')
      .innerJoin('users', 'users.plan_id', 'plans.id')
      .selectAll('plans')
      .where('users.id', '=', userId)
      .executeTakeFirst();
    return row ? toPlan(row) : null;
  }

  /** Running containers, including builds, and the bandwidth (Mbit/s) of their owners' plans. */
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

  /** Updates the fields that an admin may change. */
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

  /** Call first in a transaction that reads a user's usage and adds to it: serializes such. */
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

  async findSession(by: { tokenHash: string } | { id: string }): Promise<Session | null> {
    const select = this.db.selectFrom('sessions').selectAll();
    const row = await ('id' in by
      ? select.where('id', '=', by.id)
      : select.where('token_hash', '=', by.tokenHash)
    ).executeTakeFirst();
    return row ? fromColumns(row) : null;
  }

  /** Whether the user has an unexpired session created from this address; `now` in ms. */
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

  /** Unexpired sessions of a user at `now` (ms), last used first. */
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

  /** Removes all sessions of a user except `keptId`; null = all. */
  async removeOtherSessions(userId: string, keptId: string | null): Promise<void> {
    const others = this.db.deleteFrom('sessions').where('user_id', '=', userId);
    await (keptId === null ? others : others.where('id', '!=', keptId)).execute();
  }

  /** Removes the account and its sessions; it must have no bots and no apps. */
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
