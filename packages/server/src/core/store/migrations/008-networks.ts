// Bots and plans without a network. Must never be edited once released: add a migration instead.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('bots')
    .addColumn('network', 'text', (c) => c.notNull().defaultTo('internet'))
    .execute();
  await db.schema
    .alterTable('plans')
    .addColumn('internet', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
}
