// Actions of admins: suspended bots, codes for new passwords, accounts deleted with the last of
// their bots. Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('bots').addColumn('suspension', 'text').execute();
  await db.schema
    .alterTable('users')
    .addColumn('leaving', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('password_codes')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('code_hash', 'text', (c) => c.notNull().unique())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('runs_ended').on('runs').column('ended_at').execute();
  // Its bots are deleted one by one first, as for a single deletion. A remaining app would keep the
  // account.
  const over = sql`exists (select 1 from users where id = old.owner_id and leaving = 1)
    and not exists (select 1 from bots where owner_id = old.owner_id)`;
  await sql`
    create trigger users_leave after delete on bots when ${over}
    begin
      delete from apps where owner_id = old.owner_id;
      delete from users where id = old.owner_id;
    end`.execute(db);
}
