// The tables `bots` (settings and desired state: written for services) and `observations`, `runs` (written for the reconciler).
// Announces every committed change of a bot; must not decide anything.
import type { Language, RunKind } from '@botel/contract/vocabulary';
import { sql } from 'kysely';
import type { Bot, DesiredState, Exit, Observed } from '../domain/bot.ts';
import type { Runtime } from '../domain/runtime.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { Sealer } from '../lib/sealer.ts';
import { Topic } from '../lib/topic.ts';
import { type BotRow, botColumns, observationColumns, settingColumns, toBot } from './bot-rows.ts';
import type { Database } from './database.ts';

/** A bot before its first row: the store gives it its uid, unless one was reserved, and an empty observation. */
export type NewBot = Omit<
  Bot,
  | 'uid'
  | 'observed'
  | 'changedAt'
  | 'environmentNames'
  | 'buildEpoch'
  | 'planInternet'
  | 'planRuntime'
  | 'diskMb'
  | 'app'
  | 'restoring'
  | 'suspension'
> & {
  uid?: number;
  environment: Record<string, string>;
};

/** What an owner may change of a bot. */
export type BotChange = Partial<
  Pick<
    Bot,
    | 'name'
    | 'memoryMb'
    | 'startupCommand'
    | 'buildCommand'
    | 'runtimeVersion'
    | 'packages'
    | 'restartPolicy'
    | 'stop'
    | 'network'
    | 'stdin'
    | 'diskMb'
  >
>;

export type BotSort = 'created' | 'name' | 'memory';

/** What a list asks for. `offset` and `limit` count bots. */
export interface BotQuery {
  /** Left out: of everybody. */
  ownerId?: string;
  nameContains?: string | undefined;
  sort: BotSort;
}

/** First uid that a bot gets; one more with each bot ever made. */
const firstUid = 100_001;

export class BotStore {
  /** A desired state was committed: the reconciler should look. */
  readonly desiredChanged = new Topic();
  /** Anything that a reader of the bot can see was committed. */
  readonly changed = new Topic();
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #byId: (id: string) => Promise<BotRow[]>;
  readonly #restarts: (id: string, since: number) => Promise<{ count: number }[]>;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
    this.#byId = database.prepare((db) => selectBots(db).where('bots.id', '=', '').$castTo<BotRow>());
    this.#restarts = database.prepare((db) =>
      db
        .selectFrom('runs')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('bot_id', '=', '')
        .where('automatic', '=', sql.lit(1))
        .where('began_at', '>=', 0),
    );
  }

  /** The bot, or null when there is none (a bot whose deletion is wished counts as gone unless `deletedToo`). */
  async find(id: string, options: { deletedToo?: boolean } = {}): Promise<Bot | null> {
    const [row] = await this.#byId(id);
    if (!row || (row.desired === 'deleted' && !options.deletedToo)) return null;
    return toBot(row);
  }

  /** All bots of an owner that match, sorted (newest first, or by name or memory), without the deleted ones. */
  async list(query: BotQuery): Promise<Bot[]> {
    let select = this.#select().where('desired', '!=', 'deleted');
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

  /** Ids of all bots, also of those whose deletion is not finished. */
  async ids(): Promise<string[]> {
    const rows = await this.#database.db.selectFrom('bots').select('id').execute();
    return rows.map((row) => row.id);
  }

  /** Ids of the bots of which a container runs, or may run, as far as it was recorded. */
  async running(): Promise<string[]> {
    const rows = await this.#database.db
      .selectFrom('observations')
      .select('bot_id')
      .where('run_state', 'in', ['creating', 'running'])
      .execute();
    return rows.map((row) => row.bot_id);
  }

  /** Bots of a language that were built, with the key of what was built. */
  async built(language: Language): Promise<{ id: string; buildKey: string }[]> {
    const rows = await this.#select()
      .clearSelect()
      .select(['bots.id', 'build_key'])
      .where('language', '=', language)
      .where('desired', '!=', 'deleted')
      .where('build_key', 'is not', null)
      .execute();
    return rows.map((row) => ({ id: row.id, buildKey: row.build_key ?? '' }));
  }

  /** What the bots that have packages need of their images, each once; without the deleted bots. */
  async runtimesWithPackages(): Promise<Runtime[]> {
    const rows = await this.#database.db
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

  /** Memory (MB) and number of an owner's bots, without the deleted ones. */
  async reserved(ownerId: string): Promise<{ memoryMb: number; bots: number }> {
    const row = await this.#database.db
      .selectFrom('bots')
      .select((select) => [
        select.fn.sum<number | null>('memory_mb').as('memory'),
        select.fn.countAll<number>().as('bots'),
      ])
      .where('owner_id', '=', ownerId)
      .where('desired', '!=', 'deleted')
      .executeTakeFirstOrThrow();
    return { memoryMb: Number(row.memory ?? 0), bots: Number(row.bots) };
  }

  /** Whether an owner has a row, also of a bot whose deletion is not finished. */
  async hasAny(ownerId: string): Promise<boolean> {
    const row = await this.#database.db
      .selectFrom('bots')
      .select('id')
      .where('owner_id', '=', ownerId)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Stores a new bot and returns it with its uid. Call inside a transaction. */
  async insert(bot: NewBot): Promise<Bot> {
    const uid = bot.uid ?? (await this.reserveUid());
    const db = this.#database.db;
    await db
      .insertInto('bots')
      .values({
        id: bot.id,
        owner_id: bot.ownerId,
        uid,
        name: bot.name,
        language: bot.language,
        memory_mb: bot.memoryMb,
        startup_command: bot.startupCommand,
        build_command: bot.buildCommand,
        ...this.#sealed(bot.id, bot.environment),
        runtime_version: bot.runtimeVersion,
        restart_mode: bot.restartPolicy.mode,
        max_retries: bot.restartPolicy.maxRetries,
        backoff_max_seconds: bot.restartPolicy.backoffMaxSeconds,
        stop_signal: bot.stop.signal,
        stop_grace_seconds: bot.stop.graceSeconds,
        packages: JSON.stringify(bot.packages),
        network: bot.network,
        stdin: bot.stdin ? 1 : 0,
        desired: bot.desired.state,
        generation: bot.desired.generation,
        wish_kill: 0,
        wish_grace_seconds: null,
        changed_at: null,
        created_at: bot.createdAt,
        updated_at: bot.updatedAt,
      })
      .execute();
    await db
      .insertInto('observations')
      .values({
        bot_id: bot.id,
        run: 0,
        run_state: 'none',
        run_generation: 0,
        stop_killed: 0,
        failures: 0,
        failures_generation: 0,
        restart_count: 0,
      })
      .execute();
    const stored = await this.find(bot.id);
    if (!stored) throw new Error('A bot is missing right after its insert');
    return stored;
  }

  /** A uid that no bot had or will have, for one whose files come before its row. Call inside a transaction. */
  async reserveUid(): Promise<number> {
    const db = this.#database.db;
    const row = await db.selectFrom('settings').select('value').where('key', '=', 'last_uid').executeTakeFirst();
    const uid = row ? Number(row.value) + 1 : firstUid;
    await db
      .insertInto('settings')
      .values({ key: 'last_uid', value: String(uid) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(uid) }))
      .execute();
    return uid;
  }

  /** Services: records a new desired state; it replaces the one before. */
  async setDesired(id: string, desired: DesiredState, now: number): Promise<void> {
    await this.#database.db
      .updateTable('bots')
      .set({
        desired: desired.state,
        generation: desired.generation,
        wish_kill: desired.kill ? 1 : 0,
        wish_grace_seconds: desired.graceSeconds,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute();
    await failpoint('desired.stored');
    this.#database.onCommit(() => {
      void failpoint('desired.committed');
      this.desiredChanged.publish(id);
      this.changed.publish(id);
    });
  }

  /** Services: something was changed through Botel that a running bot does not have yet. */
  async touch(id: string, now: number): Promise<void> {
    await this.#database.db.updateTable('bots').set({ changed_at: now }).where('id', '=', id).execute();
    this.#announce(id);
  }

  /** Services: new settings. */
  async update(id: string, change: BotChange, now: number): Promise<void> {
    const columns = { ...settingColumns(change), changed_at: now, updated_at: now };
    await this.#database.db.updateTable('bots').set(columns).where('id', '=', id).execute();
    this.#announce(id);
  }

  /** Services: `suspension` null = it may run again. */
  async suspend(id: string, suspension: string | null, now: number): Promise<void> {
    const columns = { suspension, updated_at: now };
    await this.#database.db.updateTable('bots').set(columns).where('id', '=', id).execute();
    this.#announce(id);
  }

  /** Services: what was built counts no more; it is built anew at once, or with the next start. */
  async forgetBuild(id: string, now: number): Promise<void> {
    await this.#database.db
      .updateTable('bots')
      .set((set) => ({ build_epoch: set('build_epoch', '+', 1), updated_at: now }))
      .where('id', '=', id)
      .execute();
    this.#database.onCommit(() => this.desiredChanged.publish(id));
    this.#announce(id);
  }

  /** The values of the owner's variables. */
  async environment(id: string): Promise<Record<string, string>> {
    const row = await this.#database.db
      .selectFrom('bots')
      .select('environment')
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? (JSON.parse(this.#sealer.open(row.environment, sealContext(id))) as Record<string, string>) : {};
  }

  /** The sealed variables, to be kept elsewhere; only openEnvironment of this install reads them. */
  async encryptedEnvironment(id: string): Promise<string> {
    const row = await this.#database.db
      .selectFrom('bots')
      .select('environment')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return row.environment;
  }

  /** The variables that were sealed for the bot `id`; throws when they are of another bot or install. */
  openEnvironment(sealed: string, id: string): Record<string, string> {
    return JSON.parse(this.#sealer.open(sealed, sealContext(id))) as Record<string, string>;
  }

  /** Services: replaces the owner's variables. */
  async saveEnvironment(id: string, environment: Record<string, string>, now: number): Promise<void> {
    const columns = { ...this.#sealed(id, environment), changed_at: now, updated_at: now };
    await this.#database.db.updateTable('bots').set(columns).where('id', '=', id).execute();
    this.#announce(id);
  }

  /** Reconciler: records what was seen or done. */
  async observe(id: string, change: Partial<Observed>): Promise<void> {
    await this.#database.db
      .updateTable('observations')
      .set(observationColumns(change))
      .where('bot_id', '=', id)
      .execute();
    this.#announce(id);
  }

  /** Reconciler: all containers were looked at. Announces nothing: whatever changed is recorded bot by bot. */
  async lookedAt(now: number): Promise<void> {
    await this.#database.db
      .updateTable('observations')
      .set({ observed_at: now })
      .where('container_id', 'is not', null)
      .execute();
  }

  /** Reconciler: opens the record of a new run. */
  async beginRun(
    id: string,
    run: { run: number; kind: RunKind; generation: number; automatic: boolean; beganAt: number },
  ): Promise<void> {
    await this.#database.db
      .insertInto('runs')
      .values({
        bot_id: id,
        run: run.run,
        kind: run.kind,
        generation: run.generation,
        automatic: run.automatic ? 1 : 0,
        began_at: run.beganAt,
      })
      .execute();
  }

  /** Reconciler: closes the record of a run. */
  async endRun(id: string, exit: Exit, startedAt: number | null): Promise<void> {
    await this.#database.db
      .updateTable('runs')
      .set({ exit: JSON.stringify(exit), started_at: startedAt, ended_at: exit.at, end_reason: exit.reason })
      .where('bot_id', '=', id)
      .where('run', '=', exit.run)
      .execute();
  }

  /** Automatic restarts that began at or after `since` (ms). */
  async restartsSince(id: string, since: number): Promise<number> {
    return Number((await this.#restarts(id, since))[0]?.count);
  }

  /** Forgets runs that began before `before` (ms), but never the newest of a bot. */
  async pruneRuns(before: number): Promise<void> {
    await this.#database.db
      .deleteFrom('runs')
      .where('began_at', '<', before)
      .where((where) =>
        where.exists(
          where
            .selectFrom('observations')
            .select('observations.bot_id')
            .whereRef('observations.bot_id', '=', 'runs.bot_id')
            .whereRef('observations.run', '>', 'runs.run'),
        ),
      )
      .execute();
  }

  /** Reconciler: the bot and everything that hangs on it leaves the database. */
  async remove(id: string): Promise<void> {
    await this.#database.db.deleteFrom('bots').where('id', '=', id).execute();
    this.#announce(id);
  }

  #sealed(id: string, environment: Record<string, string>) {
    return {
      environment: this.#sealer.seal(JSON.stringify(environment), sealContext(id)),
      environment_names: JSON.stringify(Object.keys(environment)),
    };
  }

  #announce(id: string): void {
    this.#database.onCommit(() => this.changed.publish(id));
  }

  #select() {
    return selectBots(this.#database.db);
  }
}

/** What an environment is sealed for: it can't be moved to another bot. */
function sealContext(id: string): string {
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
