// Where the program of a bot's run is reached. Must never be edited once released: add a migration instead.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('observations').addColumn('address', 'text').execute();
  await db.schema.alterTable('observations').addColumn('port', 'integer').execute();
}
