// Requests to apps: their lines, in tables like those of bots' logs, and their metrics per minute.
// Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_chunks')
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('first_seq', 'bigint', (c) => c.notNull())
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('access_chunks_pk', ['app_id', 'first_seq'])
    .execute();

  await db.schema
    .createTable('access_heads')
    .addColumn('app_id', 'text', (c) => c.primaryKey().references('apps.id').onDelete('cascade'))
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('open_seq', 'bigint')
    .addColumn('open_bytes', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('app_minutes')
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addColumn('status_2xx', 'integer', (c) => c.notNull())
    .addColumn('status_3xx', 'integer', (c) => c.notNull())
    .addColumn('status_4xx', 'integer', (c) => c.notNull())
    .addColumn('status_5xx', 'integer', (c) => c.notNull())
    .addColumn('ms_sum', 'bigint', (c) => c.notNull())
    .addColumn('ms_max', 'bigint', (c) => c.notNull())
    .addColumn('bytes_in', 'bigint', (c) => c.notNull())
    .addColumn('bytes_out', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('app_minutes_pk', ['app_id', 'at'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await db.schema.createIndex('app_minutes_age').on('app_minutes').column('at').execute();
}
