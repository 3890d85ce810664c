// Opens and migrates the database; runs transactions with hooks after the commit. An
// AsyncLocalStorage holds the running one's connection: inside it, a query on the root connection
// would wait for itself.
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Compilable, type CompiledQuery, Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { failpoint } from '../lib/failpoint.ts';
import * as init from './migrations/001-init.ts';
import * as backups from './migrations/002-backups.ts';
import * as numbers from './migrations/003-numbers.ts';
import * as inputs from './migrations/004-inputs.ts';
import * as restores from './migrations/005-restores.ts';
import * as schedules from './migrations/006-schedules.ts';
import * as packages from './migrations/007-packages.ts';
import * as networks from './migrations/008-networks.ts';
import * as bandwidth from './migrations/009-bandwidth.ts';
import * as containerRuntime from './migrations/010-container-runtime.ts';
import * as disks from './migrations/011-disks.ts';
import * as apps from './migrations/012-apps.ts';
import * as targets from './migrations/013-targets.ts';
import * as checks from './migrations/014-checks.ts';
import * as routes from './migrations/015-routes.ts';
import * as access from './migrations/016-access.ts';
import * as times from './migrations/017-times.ts';
import * as admins from './migrations/018-admins.ts';
import * as idempotency from './migrations/019-idempotency.ts';
import * as reservations from './migrations/020-reservations.ts';
import * as certificates from './migrations/021-certificates.ts';
import { copyDatabase } from './database-copies.ts';
import { Reader } from './reader.ts';
import type { Schema } from './schema.ts';
import { type Durability, NodeSqliteDialect, openSqlite } from './sqlite-dialect.ts';

const migrations: Record<string, Migration> = {
  '001-init': init,
  '002-backups': backups,
  '003-numbers': numbers,
  '004-inputs': inputs,
  '005-restores': restores,
  '006-schedules': schedules,
  '007-packages': packages,
  '008-networks': networks,
  '009-bandwidth': bandwidth,
  '010-container-runtime': containerRuntime,
  '011-disks': disks,
  '012-apps': apps,
  '013-targets': targets,
  '014-checks': checks,
  '015-routes': routes,
  '016-access': access,
  '017-times': times,
  '018-admins': admins,
  '019-idempotency': idempotency,
  '020-reservations': reservations,
  '021-certificates': certificates,
};

interface OpenTransaction {
  db: Kysely<Schema>;
  afterCommit: (() => void)[];
}

export class Database {
  readonly #root: Kysely<Schema>;
  readonly #dialect: NodeSqliteDialect;
  readonly #path: string;
  readonly #current = new AsyncLocalStorage<OpenTransaction>();

  private constructor(root: Kysely<Schema>, dialect: NodeSqliteDialect, path: string) {
    this.#root = root;
    this.#dialect = dialect;
    this.#path = path;
  }

  /**
   * Opens `<directory>/botel.sqlite`; migrates it after an integrity check and a backup copy beside
   * it. Rejects when the file is damaged or of a newer Botel, and leaves it unchanged.
   */
  static async open(directory: string, durability: Durability = 'FULL'): Promise<Database> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'botel.sqlite');
    const existed = existsSync(path);
    let root: Kysely<Schema> | null = null;
    try {
      const sqlite = openSqlite(path, durability);
      const dialect = new NodeSqliteDialect(sqlite);
      root = new Kysely<Schema>({ dialect });
      const pending = await pendingMigrations(root);
      if (existed && pending > 0) {
        const check = sqlite.prepare('pragma integrity_check').get() as { integrity_check: string };
        if (check.integrity_check !== 'ok') throw new Error(damagedText(path, check.integrity_check));
        copyDatabase(sqlite, path);
        await failpoint('migration.copied');
      }
      await migrate(root);
      return new Database(root, dialect, path);
    } catch (error) {
      await root?.destroy();
      throw isDamage(error) ? new Error(damagedText(path, error.message), { cause: error }) : error;
    }
  }

  /** Whether the database exists with the newest schema. Rejects when a newer Botel wrote it. */
  static async isCurrent(directory: string): Promise<boolean> {
    const path = join(directory, 'botel.sqlite');
    if (!existsSync(path)) return false;
    const root = new Kysely<Schema>({ dialect: new NodeSqliteDialect(openSqlite(path, 'FULL')) });
    try {
      return (await pendingMigrations(root)) === 0;
    } finally {
      await root.destroy();
    }
  }

  /** The connection for queries: the running transaction's, else the root. */
  get db(): Kysely<Schema> {
    return this.#current.getStore()?.db ?? this.#root;
  }

  /**
   * A read-only query for hot paths: compiled once, and run synchronously unless a transaction is
   * in progress. The parameters of each call replace the values from `build`, in the order of the
   * SQL.
   */
  prepare<Row>(build: (db: Kysely<Schema>) => Compilable<Row>): (...parameters: unknown[]) => Promise<Row[]> {
    let compiled: CompiledQuery<Row> | null = null;
    return async (...parameters) => {
      compiled ??= build(this.#root).compile();
      if (parameters.length !== compiled.parameters.length) throw new Error(`Wrong parameters for: ${compiled.sql}`);
      const rows = this.#dialect.readSync(compiled.sql, parameters);
      return rows ? (rows as Row[]) : (await this.db.executeQuery<Row>({ ...compiled, parameters })).rows;
    };
  }

  /** Uses the running transaction, if any. Rolls back when `work` rejects. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#current.getStore()) return work();
    const afterCommit: (() => void)[] = [];
    const result = await this.#root
      .transaction()
      .execute((db) => this.#current.run({ db: db as unknown as Kysely<Schema>, afterCommit }, work));
    for (const hook of afterCommit) hook();
    return result;
  }

  /** Calls `hook` after the running transaction commits, or at once when there is none. */
  onCommit(hook: () => void): void {
    const transaction = this.#current.getStore();
    if (transaction) transaction.afterCommit.push(hook);
    else hook();
  }

  /** Opens a second connection, which is closed before the database is. */
  openReader(): Reader {
    return new Reader(this.#path);
  }

  /** A number that changes with every commit of other connections, but not of this one. */
  async dataVersion(): Promise<number> {
    const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(this.#root);
    return rows[0]?.data_version ?? 0;
  }

  async close(): Promise<void> {
    await this.#root.destroy();
  }
}

/** Whether SQLite reports a truncated, corrupted or foreign file. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && /malformed|not a database/.test(error.message);
}

function damagedText(path: string, fault: string): string {
  return `The database ${path} is damaged (${fault}). It was left as it is: restore it from a backup`;
}

function migratorOf(db: Kysely<Schema>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}

async function pendingMigrations(db: Kysely<Schema>): Promise<number> {
  const known = await migratorOf(db).getMigrations();
  const applied = await appliedMigrations(db);
  const newer = applied.filter((name) => !(name in migrations));
  if (newer.length > 0) {
    throw new Error(
      `The database was written by a newer Botel (it has ${newer.join(', ')}): start that version, or restore an older backup`,
    );
  }
  return known.filter((migration) => !migration.executedAt).length;
}

/** Names of the applied migrations; empty for a new database. */
async function appliedMigrations(db: Kysely<Schema>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map((row) => row.name);
}

async function migrate(db: Kysely<Schema>): Promise<void> {
  const { error } = await migratorOf(db).migrateToLatest();
  if (error)
    throw new Error(
      `The database could not be brought to this version's schema: ${String((error as Error).message ?? error)}`,
      { cause: error },
    );
}
