// Runs Kysely on node:sqlite: prepared statements are cached, transactions begin immediately (a deferred one fails when
// it turns into a writer). Must not know the schema.
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  SqliteDriver,
} from 'kysely';

const cachedStatements = 500;

/** Durability of a commit: `FULL` survives power loss; `OFF` is for tests that never lose power. */
export type Durability = 'FULL' | 'OFF';

/** Opens (or creates) the database file, for this user only, with WAL, foreign keys and the given durability. */
export function openSqlite(path: string, durability: Durability): DatabaseSync {
  // The files that SQLite makes beside it take over its mode.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  database.exec(
    `pragma journal_mode = WAL; pragma synchronous = ${durability}; pragma busy_timeout = 5000; pragma foreign_keys = ON;`,
  );
  return database;
}

/** A dialect over an open database. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #cached: SqliteDatabase;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    const cached = cachedDatabase(database);
    super({ database: cached });
    this.#cached = cached;
    this.#database = database;
  }

  override createDriver() {
    return new ImmediateDriver(this.#cached, () => this.#database.isTransaction);
  }

  override createAdapter() {
    return new TransactionalDdlAdapter();
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #isTransaction: () => boolean;

  constructor(database: SqliteDatabase, isTransaction: () => boolean) {
    super({ database });
    this.#isTransaction = isTransaction;
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** SQLite itself takes a transaction back when the disk is full; a second time would hide that error behind another. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (this.#isTransaction()) await super.rollbackTransaction(connection);
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
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
