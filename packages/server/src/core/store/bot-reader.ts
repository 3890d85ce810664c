// Reads bots: settings and desired state, observed state, the owner's plan, and the bot's app.
import type { Language } from '@botel/contract/vocabulary';
import { sql } from 'kysely';
import type { Bot } from '../domain/bot.ts';
import type { Runtime } from '../domain/runtime.ts';
import type { TextCipher } from '../lib/text-cipher.ts';
import { Topic } from '../lib/topic.ts';
import { botColumns, type BotRow, toBot } from './bot-rows.ts';
import type { Database } from './database.ts';
import { Store } from './store.ts';

export type BotSort = 'created' | 'name' | 'memory';

export interface BotQuery {
  /** Absent = all owners. */
  ownerId?: string;
  nameContains?: string | undefined;
  sort: BotSort;
}

/** The read-only part of the BotStore, for everything except the services. */
export class BotReader extends Store {
  /** Published when a desired state was committed, or the reconciler has other work. */
  readonly desiredChanged = new Topic();
  /** Published when any visible change of the bot was committed. */
  readonly changed = new Topic();
  protected readonly cipher: TextCipher;
  readonly #byId: (id: string) => Promise<BotRow[]>;

  constructor(database: Database, cipher: TextCipher) {
    super(database);
    this.cipher = cipher;
    this.#byId = database.prepare((db) => selectBots(db).where('bots.id', '=', '').$castTo<BotRow>());
  }

  /** Null when there is none. A bot that its owner deleted is found only with `deletedToo`. */
  async find(id: string, options: { deletedToo?: boolean } = {}): Promise<Bot | null> {
    const [row] = await this.#byId(id);
    if (!row || (row.desired === 'deleted' && !options.deletedToo)) return null;
    return toBot(row);
  }

  /** Excludes deleted bots; sorted by name, by memory, or newest first. */
  async list(query: BotQuery): Promise<Bot[]> {
    let select = selectBots(this.db).where('desired', '!=', 'deleted');
    if (query.ownerId !== undefined) select = select.where('bots.owner_id', '=', query.ownerId);
    if (query.nameContains) {
      const escaped = query.nameContains.replace(/[\\%_]/g, '\\$&');
      select = select.where(sql<boolean>`lower(bots.name) like ${`%${escaped.toLowerCase()}%`} escape '\\'`);
    }
    if (query.sort === 'name') select = select.orderBy('bots.name').orderBy('bots.id');
    else if (query.sort === 'memory') select = select.orderBy('bots.memory_mb', 'desc').orderBy('bots.id');
    else select = select.orderBy('bots.created_at', 'desc').orderBy('bots.id');
    return (await select.execute()).map((row) => toBot(row as BotRow));
  }

  /** Ids of all bots, including those still being deleted. */
  async ids(): Promise<string[]> {
    return (await this.db.selectFrom('bots').select('id').execute()).map((row) => row.id);
  }

  /** Built bots of a language, with their build keys. */
  async built(language: Language): Promise<{ id: string; buildKey: string }[]> {
    const rows = await selectBots(this.db)
      .clearSelect()
      .select(['bots.id', 'build_key'])
      .where('language', '=', language)
      .where('desired', '!=', 'deleted')
      .where('build_key', 'is not', null)
      .execute();
    return rows.map((row) => ({ id: row.id, buildKey: row.build_key ?? '' }));
  }

  /** The distinct runtimes of bots with packages, excluding deleted bots. */
  async runtimesWithPackages(): Promise<Runtime[]> {
    const rows = await this.db
      .selectFrom('bots')
      .select(['language', 'runtime_version', 'packages'])
      .distinct()
      .where('packages', '!=', '[]')
      .where('desired', '!=', 'deleted')
      .execute();
    return rows.map((row) => ({
      language: row.language as Language,
      version: row.runtime_version,
      packages: JSON.parse(row.packages) as string[],
    }));
  }

  /**
   * What an owner holds of its plan: number of bots, and memory (MB) as in `heldMemoryMb`. Includes
   * bots that are being created; deleted bots hold memory until their container is gone. `without`:
   * id of a bot to leave out.
   */
  async reserved(ownerId: string, without = ''): Promise<{ memoryMb: number; bots: number }> {
    const setting = sql`case when desired = 'deleted' then 0 else memory_mb end`;
    const running = sql`case when container_id is not null or run_state in ('creating', 'running')
      then coalesce(run_memory_mb, memory_mb) else 0 end`;
    const bots = await this.db
      .selectFrom('bots')
      .innerJoin('observations', 'observations.bot_id', 'bots.id')
      .select(sql<number | null>`sum(max(${setting}, ${running}))`.as('memory'))
      .select(sql<number | null>`sum(desired != 'deleted')`.as('count'))
      .where('owner_id', '=', ownerId)
      .where('bots.id', '!=', without)
      .executeTakeFirstOrThrow();
    const created = await this.db
      .selectFrom('reservations')
      .select((select) => [
        select.fn.sum<number | null>('memory_mb').as('memory'),
        select.fn.countAll<number>().as('count'),
      ])
      .where('owner_id', '=', ownerId)
      .executeTakeFirstOrThrow();
    return {
      memoryMb: Number(bots.memory ?? 0) + Number(created.memory ?? 0),
      bots: Number(bots.count ?? 0) + Number(created.count),
    };
  }

  /** Whether an owner has bots, including those still being deleted. */
  async hasAny(ownerId: string): Promise<boolean> {
    const row = await this.db.selectFrom('bots').select('id').where('owner_id', '=', ownerId).executeTakeFirst();
    return row !== undefined;
  }

  /** The values of the bot's variables. */
  async environment(id: string): Promise<Record<string, string>> {
    const row = await this.#selectEnvironment(id).executeTakeFirst();
    return row ? this.decryptEnvironment(row.environment, id) : {};
  }

  /** The variables for storage elsewhere; only this install's `decryptEnvironment` reads them. */
  async encryptedEnvironment(id: string): Promise<string> {
    return (await this.#selectEnvironment(id).executeTakeFirstOrThrow()).environment;
  }

  /** Throws when the variables were encrypted for a bot other than `id`, or by another install. */
  decryptEnvironment(encrypted: string, id: string): Record<string, string> {
    return JSON.parse(this.cipher.decrypt(encrypted, environmentContext(id))) as Record<string, string>;
  }

  #selectEnvironment(id: string) {
    return this.db.selectFrom('bots').select('environment').where('id', '=', id);
  }
}

/** Binds the encrypted environment to its bot. */
export function environmentContext(id: string): string {
  return `environment ${id}`;
}

function selectBots(db: Database['db']) {
  return db
    .selectFrom('bots')
    .innerJoin('observations', 'observations.bot_id', 'bots.id')
    .leftJoin('users', 'users.id', 'bots.owner_id')
    .leftJoin('plans', 'plans.id', 'users.plan_id')
    .leftJoin('apps', (join) => join.onRef('apps.bot_id', '=', 'bots.id').on('apps.freed_at', 'is', null))
    .select(botColumns)
    .selectAll('observations')
    .select([
      'plans.internet as plan_internet',
      'plans.container_runtime as plan_runtime',
      'plans.disk_mb as plan_disk_mb',
      'apps.id as app_id',
      'apps.name as app_name',
      'apps.port as app_port',
      'apps.health_path as app_health_path',
    ])
    .select(sql<number>`exists(select 1 from restores where restores.bot_id = bots.id)`.as('restoring'));
}
