// Texts for the stdin of running bots, and which bots and runs accept them. Never edit it once
// released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('inputs')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('inputs_bot').on('inputs').columns(['bot_id', 'id']).execute();

  await db.schema
    .alterTable('bots')
    .addColumn('stdin', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('observations')
    .addColumn('run_stdin', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
