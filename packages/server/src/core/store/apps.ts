// The table `apps`: the apps of bots, and the names that were theirs and are still kept for their last owners. A change
// of several rows needs the transaction of its caller.
import { type Selectable, sql } from 'kysely';
import { type App, type AppChange, nameHeldMs, namesHeldMax } from '../domain/app.ts';
import type { AppTable } from './app-tables.ts';
import type { Database } from './database.ts';
import { countOf, Store } from './store.ts';

/** Who has a name: the owner of the app, or the last one while it is kept for it. */
export interface NameHolder {
  ownerId: string;
  /** False when the name was given up. */
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

  /** Who has `name` at `now` (ms); null = it can be had. */
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

  /** All apps of an owner, newest first. */
  async list(ownerId: string): Promise<App[]> {
    const rows = await this.#living()
      .where('owner_id', '=', ownerId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toApp);
  }

  /** Ids of all apps. */
  async ids(): Promise<string[]> {
    return (await this.#living().clearSelect().select('id').execute()).map((row) => row.id);
  }

  /** Number of an owner's apps. */
  async count(ownerId: string): Promise<number> {
    return countOf(this.db.selectFrom('apps').where('owner_id', '=', ownerId).where('freed_at', 'is', null));
  }

  /** A name that is in use is refused by the table. */
  async insert(app: App): Promise<void> {
    await this.#unhold(app.name);
    await this.db
      .insertInto('apps')
      .values({ ...columnsOf(app), id: app.id, owner_id: app.ownerId, created_at: app.createdAt, freed_at: null })
      .execute();
  }

  /** A name that is left is kept for the owner. */
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

  /** The app is gone, with its domains; its name is kept for the owner. */
  async free(app: App, now: number): Promise<void> {
    await this.db.deleteFrom('apps').where('id', '=', app.id).execute();
    await this.#hold(app, now);
  }

  /** Names that an owner gave up are kept for another account. */
  async handOver(ownerId: string, heirId: string): Promise<void> {
    await this.db
      .updateTable('apps')
      .set({ owner_id: heirId })
      .where('owner_id', '=', ownerId)
      .where('freed_at', 'is not', null)
      .execute();
  }

  /** Forgets names that were given up so long ago that anybody may have them. */
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

/** The rows of a name, of which there are two at most. All of it is in the index: anybody may ask for it. */
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
