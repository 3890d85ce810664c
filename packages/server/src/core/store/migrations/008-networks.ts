// Bots and plans without a network. Never edit it once released; add a migration.
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
