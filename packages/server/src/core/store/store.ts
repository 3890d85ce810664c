// Base of the stores: each queries some tables of one database.
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

export abstract class Store {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** The connection for queries: the running transaction's, else the root. */
  protected get db(): Kysely<Schema> {
    return this.database.db;
  }
}

export async function countOf<Tables extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Tables, object>,
): Promise<number> {
  const row = await query.select((select) => select.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number((row as { count: number }).count);
}
