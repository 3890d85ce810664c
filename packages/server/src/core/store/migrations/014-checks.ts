// Runs that have to answer before they count as up. Must never be edited once released: add a migration instead.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('observations').addColumn('check_path', 'text').execute();
}
