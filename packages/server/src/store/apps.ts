// The table `apps`: which subdomain names are in use, and which app a bot serves.
import type { Database } from './database.ts';

const freedNameKeptMs = 30 * 24 * 60 * 60 * 1000;

/** An app as a bot shows it. */
export interface App {
  id: string;
  name: string;
}

export class AppStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether `name` is in use, or was freed less than 30 days before `now` (ms). */
  async isTaken(name: string, now: number): Promise<boolean> {
    const row = await this.#database.db
      .selectFrom('apps')
      .select('id')
      .where('name', '=', name)
      .where((where) => where.or([where('freed_at', 'is', null), where('freed_at', '>', now - freedNameKeptMs)]))
      .executeTakeFirst();
    return row !== undefined;
  }

  /** The app that the bot serves, or null. */
  async ofBot(botId: string): Promise<App | null> {
    const row = await this.#database.db
      .selectFrom('apps')
      .select(['id', 'name'])
      .where('bot_id', '=', botId)
      .where('freed_at', 'is', null)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Number of an owner's apps in use. */
  async count(ownerId: string): Promise<number> {
    const row = await this.#database.db
      .selectFrom('apps')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('owner_id', '=', ownerId)
      .where('freed_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }
}
