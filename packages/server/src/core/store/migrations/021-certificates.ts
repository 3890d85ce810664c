// Hostnames that a certificate was approved for. Never edit it once released; add a migration.
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificates')
    .addColumn('hostname', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.references('users.id').onDelete('set null'))
    .addColumn('is_app_name', 'integer', (c) => c.notNull())
    .addColumn('approved_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('certificates_owner').on('certificates').columns(['owner_id', 'approved_at']).execute();
  await db.schema.createIndex('certificates_approved').on('certificates').column('approved_at').execute();
}
