// A number that grows with every change that can matter to the routes of the gateway, so that it asks for them only then: lines
// of logs, numbers and the like change nothing of it. Must never be edited once released: add a migration instead.
import { type Kysely, sql } from 'kysely';

/** Of a row of `observations`: where its run is reached, and what makes its status. */
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
  // Of two runs with one address the one that began later has it.
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
