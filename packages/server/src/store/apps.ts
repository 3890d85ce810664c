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
  readonly #taken: (name: string, freedAfter: number) => Promise<unknown[]>;
  readonly #ofBot: (botId: string) => Promise<App[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#taken = database.prepare((db) =>
      db
        .selectFrom('apps')
        .select('id')
        .where('name', '=', '')
        .where((where) => where.or([where('freed_at', 'is', null), where('freed_at', '>', 0)])),
    );
    this.#ofBot = database.prepare((db) =>
      db.selectFrom('apps').select(['id', 'name']).where('bot_id', '=', '').where('freed_at', 'is', null),
    );
  }

  /** Whether `name` is in use, or was freed less than 30 days before `now` (ms). */
  async isTaken(name: string, now: number): Promise<boolean> {
    return (await this.#taken(name, now - freedNameKeptMs)).length > 0;
  }

  /** The app that the bot serves, or null. */
  async ofBot(botId: string): Promise<App | null> {
    return (await this.#ofBot(botId))[0] ?? null;
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
