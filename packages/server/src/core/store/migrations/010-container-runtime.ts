// The OCI runtime of a plan's bots. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('plans').addColumn('container_runtime', 'text').execute();
}
