// The table `apps`: apps, and released names reserved for their last owners. Changes of several
// rows need the caller's transaction.
import { type Selectable, sql } from 'kysely';
import { type App, type AppChange, nameHeldMs, namesHeldMax } from '../domain/app.ts';
import type { AppTable } from './app-tables.ts';
import type { Database } from './database.ts';
import { countOf, Store } from './store.ts';

/** The holder of a name: the app's owner, or the last one while the name is reserved. */
export interface NameHolder {
  ownerId: string;
  /** False when the name was released. */
  inUse: boolean;
}

type HolderRow = { owner_id: string; freed_at: number | null };

export class AppStore extends Store {
  readonly #holders: (name: string) => Promise<HolderRow[]>;
  readonly #ofBot: (botId: string) => Promise<Selectable<AppTable>[]>;

  constructor(database: Database) {
    super(database);
    this.#holders = database.prepare((db) => selectHolders(db, ''));
    this.#ofBot = database.prepare((db) =>
      db.selectFrom('apps').selectAll().where('bot_id', '=', '').where('freed_at', 'is', null),
    );
  }

  /** The holder of `name` at `now` (ms); null = available. */
  async holderOf(name: string, now: number): Promise<NameHolder | null> {
    const rows = await this.#holders(name);
    const row = rows.find(({ freed_at: freedAt }) => freedAt === null || freedAt > now - nameHeldMs);
    return row ? { ownerId: row.owner_id, inUse: row.freed_at === null } : null;
  }

  async find(id: string): Promise<App | null> {
    const row = await this.#living().where('id', '=', id).executeTakeFirst();
    return row ? toApp(row) : null;
  }

  /** The app that the bot serves, or null. */
  async ofBot(botId: string): Promise<App | null> {
    const [row] = await this.#ofBot(botId);
    return row ? toApp(row) : null;
  }

  /** An owner's apps, newest first. */
  async list(ownerId: string): Promise<App[]> {
    const rows = await this.#living()
      .where('owner_id', '=', ownerId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toApp);
  }

  async ids(): Promise<string[]> {
    return (await this.#living().clearSelect().select('id').execute()).map((row) => row.id);
  }

  async count(ownerId: string): Promise<number> {
    return countOf(this.db.selectFrom('apps').where('owner_id', '=', ownerId).where('freed_at', 'is', null));
  }

  /** When the owner released its names after `since`, latest first; times in ms. */
  async releasesSince(ownerId: string, since: number): Promise<number[]> {
    const rows = await this.db
      .selectFrom('apps')
      .select('freed_at')
      .where('owner_id', '=', ownerId)
      .where('freed_at', '>', since)
      .orderBy('freed_at', 'desc')
      .execute();
    return rows.map((row) => row.freed_at ?? since);
  }

  /** Rejects when the name is in use (a unique index). */
  async insert(app: App): Promise<void> {
    await this.#unhold(app.name);
    await this.db
      .insertInto('apps')
      .values({ ...columnsOf(app), id: app.id, owner_id: app.ownerId, created_at: app.createdAt, freed_at: null })
      .execute();
  }

  /** Reserves the old name for the owner when the name changes. */
  async update(app: App, change: AppChange, now: number): Promise<void> {
    const renamed = change.name !== undefined && change.name !== app.name;
    if (renamed) await this.#unhold(change.name);
    await this.db
      .updateTable('apps')
      .set(columnsOf({ ...app, ...change }))
      .where('id', '=', app.id)
      .execute();
    if (renamed) await this.#hold(app, now);
  }

  /** Removes the app and its domains; reserves its name for the owner. */
  async free(app: App, now: number): Promise<void> {
    await this.db.deleteFrom('apps').where('id', '=', app.id).execute();
    await this.#hold(app, now);
  }

  /** Passes an owner's reserved names on to another account. */
  async handOver(ownerId: string, heirId: string): Promise<void> {
    await this.db
      .updateTable('apps')
      .set({ owner_id: heirId })
      .where('owner_id', '=', ownerId)
      .where('freed_at', 'is not', null)
      .execute();
  }

  /** Deletes released names whose reservation has expired. */
  async prune(now: number): Promise<void> {
    await this.db
      .deleteFrom('apps')
      .where('freed_at', '<=', now - nameHeldMs)
      .execute();
  }

  async #hold({ ownerId, name, createdAt }: App, now: number): Promise<void> {
    const id = sql<string>`lower(hex(randomblob(16)))`;
    await this.db
      .insertInto('apps')
      .values({ id, owner_id: ownerId, bot_id: null, name, port: null, created_at: createdAt, freed_at: now })
      .execute();
    await this.db
      .deleteFrom('apps')
      .where('id', 'in', (select) =>
        select
          .selectFrom('apps')
          .select('id')
          .where('owner_id', '=', ownerId)
          .where('freed_at', 'is not', null)
          .orderBy('freed_at', 'desc')
          .limit(1_000_000)
          .offset(namesHeldMax),
      )
      .execute();
  }

  async #unhold(name: string | undefined): Promise<void> {
    if (name === undefined) return;
    await this.db.deleteFrom('apps').where('name', '=', name).where('freed_at', 'is not', null).execute();
  }

  #living() {
    return this.db.selectFrom('apps').selectAll().where('freed_at', 'is', null).where('bot_id', 'is not', null);
  }
}

/** Two rows at most. The index covers the query, because anyone may run it. */
export function selectHolders(db: Database['db'], name: string) {
  return db.selectFrom('apps').select(['owner_id', 'freed_at']).where('name', '=', name);
}

function columnsOf({ botId, name, port, healthPath }: App) {
  return { bot_id: botId, name, port, health_path: healthPath };
}

function toApp(row: Selectable<AppTable>): App {
  return {
    id: row.id,
    ownerId: row.owner_id,
    botId: row.bot_id ?? '',
    name: row.name,
    port: row.port,
    healthPath: row.health_path,
    createdAt: row.created_at,
  };
}
