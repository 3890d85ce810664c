// Disk limits of single bots, and why Botel stopped a run. Never edit it once released; add a
// migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('bots').addColumn('disk_mb', 'integer').execute();
  await db.schema.alterTable('observations').addColumn('stop_reason', 'text').execute();
}
