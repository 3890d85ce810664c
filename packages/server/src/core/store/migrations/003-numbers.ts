// Usage of bots over time, and events. Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_minutes')
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('span_ms', 'integer', (c) => c.notNull())
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('cpu_percent', 'real')
    .addColumn('memory_bytes', 'bigint', (c) => c.notNull())
    .addColumn('disk_bytes', 'bigint')
    .addColumn('net_rx_bytes', 'bigint')
    .addColumn('net_tx_bytes', 'bigint')
    .addColumn('pids', 'integer')
    .addPrimaryKeyConstraint('usage_minutes_pk', ['bot_id', 'at', 'span_ms'])
    .execute();
  await db.schema.createIndex('usage_minutes_age').on('usage_minutes').columns(['span_ms', 'at']).execute();

  await db.schema
    .createTable('events')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('bot_id', 'text', (c) => c.notNull())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('events_owner').on('events').columns(['owner_id', 'id']).execute();
  await db.schema.createIndex('events_bot').on('events').columns(['bot_id', 'id']).execute();
  await db.schema.createIndex('events_age').on('events').column('at').execute();

  await db.schema
    .alterTable('runs')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('bot'))
    .execute();
  await db.schema.alterTable('runs').addColumn('ended_at', 'bigint').execute();
  await db.schema.alterTable('runs').addColumn('end_reason', 'text').execute();
  await sql`update runs set ended_at = exit ->> 'at', end_reason = exit ->> 'reason' where exit is not null`.execute(
    db,
  );
}
