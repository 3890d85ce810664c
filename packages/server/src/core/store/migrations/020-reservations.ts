// What owners hold of their plans: the memory of the newest run, and room for bots that are being
// created. Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('observations').addColumn('run_memory_mb', 'integer').execute();
  await sql`
    update observations
    set run_memory_mb = (select memory_mb from bots where bots.id = observations.bot_id)
    where container_id is not null or run_state in ('creating', 'running')`.execute(db);
  await db.schema
    .createTable('reservations')
    .addColumn('bot_id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('memory_mb', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('reservations_owner').on('reservations').column('owner_id').execute();
}
