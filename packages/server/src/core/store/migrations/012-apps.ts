// Served apps: health check paths, an index of names, one app per bot, and owners' domains. Never
// edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('apps').addColumn('health_path', 'text').execute();
  // The index of apps in use excludes released names.
  await db.schema.createIndex('apps_held_name').on('apps').columns(['name', 'freed_at', 'owner_id']).execute();
  await db.schema.createIndex('apps_owner').on('apps').columns(['owner_id', 'created_at']).execute();
  await db.schema
    .createIndex('apps_living_bot')
    .on('apps')
    .column('bot_id')
    .unique()
    .where(sql.ref('freed_at'), 'is', null)
    .execute();

  await db.schema
    .createTable('domains')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().defaultTo('pending'))
    .addColumn('fault', 'text')
    .addColumn('checked_at', 'bigint')
    .addColumn('verified_at', 'bigint')
    .addColumn('tls_asked_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('domains_app').on('domains').columns(['app_id', 'hostname']).unique().execute();
  // Anyone may claim a hostname, but only one claim can be verified.
  await db.schema
    .createIndex('domains_verified')
    .on('domains')
    .column('hostname')
    .unique()
    .where(sql.ref('status'), '=', sql.lit('verified'))
    .execute();
}
