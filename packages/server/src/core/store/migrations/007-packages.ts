// Debian packages of bots. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('bots')
    .addColumn('packages', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
