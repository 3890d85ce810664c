// All routes for the gateway, and their version. Reads synchronously on its own connection: a
// request checks the version before it is routed, and can't wait for writers.
import type { ExitReason, Phase, RunKind } from '@botel/contract/vocabulary';
import { sql } from 'kysely';
import type { Desired, RunState } from '../domain/bot.ts';
import { type Route, type RoutedBot, routeStateOf } from '../domain/route.ts';
import type { Database } from './database.ts';
import type { Reader } from './reader.ts';

export class RouteStore {
  readonly #reader: Reader;
  readonly #appsDomain: string;
  readonly #version: () => { version: number }[];
  readonly #all: () => RouteRow[];

  /** Apps are served below `appsDomain`, and at their owners' verified hostnames. */
  constructor(database: Database, appsDomain: string) {
    this.#reader = database.openReader();
    this.#appsDomain = appsDomain;
    this.#version = this.#reader.prepare(database.db.selectFrom('route_version').select('version').compile());
    this.#all = this.#reader.prepare(selectRoutes(database.db).compile());
  }

  /** Grows whenever a route may have changed. */
  version(): number {
    return this.#version()[0]?.version ?? 0;
  }

  /** All routes, by app name. */
  all(): Route[] {
    return this.#all().map((row) => ({
      appId: row.app_id,
      botId: row.bot_id,
      name: row.app_name,
      hostnames: [`${row.app_name}.${this.#appsDomain}`, ...(JSON.parse(row.hostnames) as string[])],
      state: routeStateOf(toRoutedBot(row), row.app_port),
    }));
  }

  close(): void {
    this.#reader.close();
  }
}

type RouteRow = Awaited<ReturnType<ReturnType<typeof selectRoutes>['execute']>>[number];

function toRoutedBot(row: RouteRow): RoutedBot {
  return {
    desired: { state: row.desired as Desired, generation: row.generation },
    observed: {
      run: row.run,
      runState: row.run_state as RunState,
      runGeneration: row.run_generation,
      runKind: row.run_kind as RunKind,
      containerId: row.container_id,
      startedAt: row.started_at,
      address: row.is_taken ? null : row.address,
      port: row.port,
      checkPath: row.check_path,
      failures: row.failures,
      retryAt: row.retry_at,
      phase: row.phase as Phase | null,
      lastExit: row.exit_reason === null ? null : { reason: row.exit_reason as ExitReason },
    },
  };
}

function selectRoutes(db: Database['db']) {
  return db
    .selectFrom('apps')
    .innerJoin('bots', 'bots.id', 'apps.bot_id')
    .innerJoin('observations', 'observations.bot_id', 'bots.id')
    .where('apps.freed_at', 'is', null)
    .where('bots.desired', '!=', 'deleted')
    .select([
      'observations.bot_id',
      'observations.run',
      'observations.run_state',
      'observations.run_generation',
      'observations.run_kind',
      'observations.container_id',
      'observations.started_at',
      'observations.address',
      'observations.port',
      'observations.check_path',
      'observations.failures',
      'observations.retry_at',
      'observations.phase',
    ])
    .select(['apps.id as app_id', 'apps.name as app_name', 'apps.port as app_port', 'bots.desired', 'bots.generation'])
    .select([
      sql<string | null>`json_extract(observations.last_exit, '$.reason')`.as('exit_reason'),
      sql<string>`(select json_group_array(hostname) from domains where app_id = apps.id and status = 'verified')`.as(
        'hostnames',
      ),
      // An ended run's address may be reused before its row says so: no request may reach another
      // owner's bot. Loopback addresses are those of fake bots.
      sql<number>`exists(select 1 from observations as other where other.address = observations.address
        and other.bot_id <> observations.bot_id and other.started_at >= observations.started_at
        and observations.address not like '127.%')`.as('is_taken'),
    ])
    .orderBy('apps.name');
}
