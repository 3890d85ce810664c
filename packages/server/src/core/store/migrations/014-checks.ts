// Runs that must pass a health check to count as up. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('observations').addColumn('check_path', 'text').execute();
}
