// Schedules of bots and their runs. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('cron', 'text', (c) => c.notNull())
    .addColumn('timezone', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('keep', 'integer')
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('next_run_at', 'bigint')
    .addColumn('asked_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('schedules_bot').on('schedules').column('bot_id').execute();
  await db.schema.createIndex('schedules_next').on('schedules').column('next_run_at').execute();
  await db.schema.createIndex('schedules_asked').on('schedules').column('asked_at').execute();

  await db.schema
    .createTable('schedule_runs')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('schedule_id', 'text', (c) => c.notNull().references('schedules.id').onDelete('cascade'))
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('ok', 'integer')
    .addColumn('error', 'text')
    .execute();
  await db.schema.createIndex('schedule_runs_newest').on('schedule_runs').columns(['schedule_id', 'id']).execute();

  await db.schema
    .alterTable('backups')
    .addColumn('schedule_id', 'text', (c) => c.references('schedules.id').onDelete('set null'))
    .execute();
}
