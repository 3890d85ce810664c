// Packages that bots ask for. Must never be edited once released: add a migration instead.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('bots')
    .addColumn('packages', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
