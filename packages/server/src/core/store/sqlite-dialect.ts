// Runs Kysely on node:sqlite. Transactions begin as writers (BEGIN IMMEDIATE), because a deferred
// one fails when it becomes one; waiting for another process does not block the event loop.
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  SqliteDriver,
} from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { fail } from '../domain/errors.ts';
import { Mutex } from '../lib/mutex.ts';

const cachedStatements = 500;
/** How long to wait for another process's transaction. */
const busyMs = 5_000;
const longestPauseMs = 25;

/** `FULL` survives power loss; `NORMAL` may lose the newest commits to it; `OFF` is for tests. */
export type Durability = 'FULL' | 'NORMAL' | 'OFF';

/**
 * Creates the file when missing, for this user only. Until a dialect wraps the database, waiting
 * for other processes blocks this one.
 */
export function openSqlite(path: string, durability: Durability): DatabaseSync {
  // SQLite's companion files inherit its mode.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  database.exec(
    `pragma journal_mode = WAL; pragma synchronous = ${durability}; pragma busy_timeout = ${busyMs}; pragma foreign_keys = ON;`,
  );
  return database;
}

export class NodeSqliteDialect extends SqliteDialect {
  readonly #cached: SqliteDatabase;
  readonly #database: DatabaseSync;
  readonly #readers = new Map<string, RowReader>();

  constructor(database: DatabaseSync) {
    const cached = cachedDatabase(database);
    super({ database: cached });
    this.#cached = cached;
    this.#database = database;
  }

  /**
   * Reads rows synchronously, several times as fast as queuing; null while a transaction runs or
   * another process holds the lock: queue the query then. The rows can't be spread.
   */
  readSync(sql: string, parameters: readonly unknown[]): unknown[] | null {
    if (this.#database.isTransaction) return null;
    try {
      let reader = this.#readers.get(sql);
      if (!reader) this.#readers.set(sql, (reader = rowReader(this.#database.prepare(sql))));
      return reader(parameters);
    } catch (error) {
      if (codeOf(error) === busy) return null;
      throw toBotelError(error);
    }
  }

  override createDriver() {
    return new BusyRetryDriver(this.#cached, this.#database);
  }

  override createAdapter() {
    return new NoLockAdapter();
  }
}

/** Shares one connection in turns; a query that finds the database busy yields and retries. */
class BusyRetryDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #mutex = new Mutex();
  #connection: BusyRetryConnection | null = null;

  constructor(cached: SqliteDatabase, database: DatabaseSync) {
    super({ database: cached });
    this.#database = database;
    database.exec('pragma busy_timeout = 0');
  }

  override async acquireConnection() {
    await this.#mutex.acquire();
    this.#connection ??= new BusyRetryConnection(await super.acquireConnection(), this.#mutex, this.#database);
    return this.#connection;
  }

  override async releaseConnection() {
    this.#mutex.release();
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** SQLite rolls back itself when the disk is full; a second rollback would hide that error. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

class BusyRetryConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #mutex: Mutex;
  readonly #database: DatabaseSync;

  constructor(connection: DatabaseConnection, mutex: Mutex, database: DatabaseSync) {
    this.#connection = connection;
    this.#mutex = mutex;
    this.#database = database;
  }

  /** Never retries inside a transaction, which began as a writer and holds the connection. */
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const giveUpAt = performance.now() + busyMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await this.#connection.executeQuery<Row>(query);
      } catch (error) {
        const canRetry = codeOf(error) === busy && !this.#database.isTransaction && performance.now() <= giveUpAt;
        if (!canRetry) throw toBotelError(error);
      }
      this.#mutex.release();
      await delay(pauseMs);
      await this.#mutex.acquire();
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}

/** SQLite result codes: another process is writing; the disk is full. */
const busy = 5;
const full = 13;

/** SQLite's primary result code: the low byte of an extended one; 0 for other errors. */
function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

function toBotelError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === full) return fail.storageFull(error);
  return code === busy ? fail.notReady('database', error) : error;
}

class NoLockAdapter extends SqliteAdapter {
  /** The driver shares the one connection itself. */
  override get supportsMultipleConnections() {
    return true;
  }

  override get supportsTransactionalDdl() {
    return true;
  }
}

type Statement = ReturnType<SqliteDatabase['prepare']>;

function cachedDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, Statement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        if (statements.size >= cachedStatements) statements.clear();
        statement = adapt(database.prepare(sql));
        statements.set(sql, statement);
      }
      return statement;
    },
  };
}

function adapt(statement: StatementSync): Statement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}

const columnValues = Symbol('values');

type RowReader = (parameters: readonly unknown[]) => unknown[];

/**
 * Reads rows as arrays: building an object for each wide row takes longer than finding it. Read
 * columns one by one; a row can't be spread.
 */
export function rowReader(statement: StatementSync): RowReader {
  statement.setReturnArrays(true);
  class Row {
    readonly [columnValues]: unknown[];

    constructor(values: unknown[]) {
      this[columnValues] = values;
    }
  }
  for (const [index, { name }] of statement.columns().entries())
    Object.defineProperty(Row.prototype, name, {
      configurable: true,
      get(this: Row) {
        return this[columnValues][index];
      },
    });
  return (parameters) =>
    (statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][]).map((values) => new Row(values));
}
