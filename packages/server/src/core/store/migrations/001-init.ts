// The first schema. Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('memory_mb', 'integer', (c) => c.notNull())
    .addColumn('bots', 'integer', (c) => c.notNull())
    .addColumn('disk_mb', 'integer', (c) => c.notNull())
    .addColumn('apps', 'integer', (c) => c.notNull())
    .addColumn('upload_mb', 'integer', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('plan_id', 'text', (c) => c.notNull().references('plans.id'))
    .addColumn('suspended', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('reservations', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();

  await createBotTables(db);
  await createLogTables(db);

  await db.schema
    .createTable('apps')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('bot_id', 'text', (c) => c.references('bots.id').onDelete('set null'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('port', 'integer')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('freed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('apps_name')
    .on('apps')
    .column('name')
    .unique()
    .where(sql.ref('freed_at'), 'is', null)
    .execute();
  await db.schema.createIndex('apps_bot').on('apps').column('bot_id').execute();

  await db.schema
    .createTable('settings')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}

async function createBotTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bots')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('uid', 'integer', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('memory_mb', 'integer', (c) => c.notNull())
    .addColumn('startup_command', 'text', (c) => c.notNull())
    .addColumn('build_command', 'text')
    .addColumn('build_epoch', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('environment_names', 'text', (c) => c.notNull())
    .addColumn('runtime_version', 'text', (c) => c.notNull())
    .addColumn('restart_mode', 'text', (c) => c.notNull())
    .addColumn('max_retries', 'integer')
    .addColumn('backoff_max_seconds', 'integer', (c) => c.notNull())
    .addColumn('stop_signal', 'text', (c) => c.notNull())
    .addColumn('stop_grace_seconds', 'integer', (c) => c.notNull())
    .addColumn('desired', 'text', (c) => c.notNull())
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('wish_kill', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('wish_grace_seconds', 'integer')
    .addColumn('changed_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('bots_owner').on('bots').columns(['owner_id', 'created_at']).execute();

  await db.schema
    .createTable('observations')
    .addColumn('bot_id', 'text', (c) => c.primaryKey().references('bots.id').onDelete('cascade'))
    .addColumn('run', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('run_state', 'text', (c) => c.notNull().defaultTo('none'))
    .addColumn('run_generation', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('run_kind', 'text', (c) => c.notNull().defaultTo('bot'))
    .addColumn('build_key', 'text')
    .addColumn('pending_build_key', 'text')
    .addColumn('built_epoch', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('container_id', 'text')
    .addColumn('run_began_at', 'bigint')
    .addColumn('started_at', 'bigint')
    .addColumn('stop_run', 'integer')
    .addColumn('stop_deadline_at', 'bigint')
    .addColumn('stop_killed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failures_generation', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('retry_at', 'bigint')
    .addColumn('last_exit', 'text')
    .addColumn('phase', 'text')
    .addColumn('phase_since', 'bigint')
    .addColumn('memory_peak_mb', 'integer')
    .addColumn('restart_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('observed_at', 'bigint')
    .execute();

  await db.schema
    .createTable('runs')
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('automatic', 'integer', (c) => c.notNull())
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('exit', 'text')
    .addPrimaryKeyConstraint('runs_pk', ['bot_id', 'run'])
    .execute();
}

async function createLogTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('log_chunks')
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('first_seq', 'bigint', (c) => c.notNull())
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('log_chunks_pk', ['bot_id', 'first_seq'])
    .execute();

  await db.schema
    .createTable('log_heads')
    .addColumn('bot_id', 'text', (c) => c.primaryKey().references('bots.id').onDelete('cascade'))
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('open_seq', 'bigint')
    .addColumn('open_bytes', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('log_cursors')
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bots.id').onDelete('cascade'))
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('container_id', 'text', (c) => c.notNull())
    .addColumn('cursor', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('log_cursors_pk', ['bot_id', 'run'])
    .execute();
}
