// A version number that grows with every change relevant to the gateway's routes, so that it
// reloads them only then; log lines, metrics and the like leave it unchanged. Never edit it once
// released; add a migration.
import { type Kysely, sql } from 'kysely';

/** Columns of `observations` that determine a bot's address and status. */
const observed = [
  'run',
  'run_state',
  'run_generation',
  'run_kind',
  'started_at',
  'address',
  'port',
  'retry_at',
  'check_path',
];
const wished = ['desired', 'generation'];
const served = ['bot_id', 'name', 'port', 'freed_at'];

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('route_version')
    .addColumn('id', 'integer', (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn('version', 'integer', (c) => c.notNull())
    .execute();
  await sql`insert into route_version (id, version) values (1, 1)`.execute(db);
  // When two runs have the same address, it belongs to the later one.
  await db.schema.createIndex('observations_address').on('observations').column('address').execute();
  const changed = (columns: string[]) => columns.map((column) => `new.${column} is not old.${column}`).join(' or ');
  const triggers: [name: string, when: string, condition?: string][] = [
    ['apps_added', 'insert on apps', 'new.freed_at is null'],
    ['apps_removed', 'delete on apps', 'old.freed_at is null'],
    ['apps_changed', `update of ${served.join(', ')} on apps`, changed(served)],
    ['domains_added', 'insert on domains', `new.status = 'verified'`],
    ['domains_removed', 'delete on domains', `old.status = 'verified'`],
    ['domains_changed', 'update of app_id, hostname, status on domains', changed(['app_id', 'hostname', 'status'])],
    ['bots_removed', 'delete on bots'],
    ['bots_changed', `update of ${wished.join(', ')} on bots`, changed(wished)],
    ['observations_changed', `update of ${observed.join(', ')} on observations`, changed(observed)],
  ];
  for (const [name, when, condition] of triggers)
    await sql
      .raw(
        `create trigger routes_${name} after ${when} ${condition === undefined ? '' : `when ${condition} `}` +
          'begin update route_version set version = version + 1 where id = 1; end',
      )
      .execute(db);
}
