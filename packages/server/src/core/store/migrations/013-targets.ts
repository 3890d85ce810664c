// Address and port of a bot's running program. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('observations').addColumn('address', 'text').execute();
  await db.schema.alterTable('observations').addColumn('port', 'integer').execute();
}
