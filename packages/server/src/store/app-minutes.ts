// The table `app_minutes` (written by the gateway's process): the requests to each app, by the minute. A minute without requests
// has no row. Must not compute what is shown.
import { sql } from 'kysely';
import type { AppMinute } from '../domain/app-access.ts';
import type { Database } from './database.ts';

/** One point of a curve: `index` steps after its beginning. */
export interface AppPoint extends Omit<AppMinute, 'appId' | 'at' | 'lastAt'> {
  index: number;
}

/** Requests of a span, and when the newest of all was over (ms); null = there was none in the time that is kept. */
export interface AppTraffic {
  requests: number;
  /** Answered with a status of 500 to 599. */
  errors: number;
  lastAt: number | null;
}

export class AppMinutes {
  readonly #database: Database;
  readonly #sums: (appId: string, since: number) => Promise<{ requests: number | null; errors: number | null }[]>;
  readonly #newest: (appId: string) => Promise<{ last_at: number }[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#sums = database.prepare((db) =>
      db
        .selectFrom('app_minutes')
        .select((select) => [
          select.fn.sum<number | null>('requests').as('requests'),
          select.fn.sum<number | null>('status_5xx').as('errors'),
        ])
        .where('app_id', '=', '')
        .where('at', '>=', 0),
    );
    this.#newest = database.prepare((db) =>
      db.selectFrom('app_minutes').select('last_at').where('app_id', '=', '').orderBy('at', 'desc').limit(sql.lit(1)),
    );
  }

  /** Adds to what is there. */
  async add(minutes: readonly AppMinute[]): Promise<void> {
    for (const minute of minutes) {
      const plus = (column: string) => sql<number>`app_minutes.${sql.ref(column)} + excluded.${sql.ref(column)}`;
      const most = (column: string) => sql<number>`max(app_minutes.${sql.ref(column)}, excluded.${sql.ref(column)})`;
      await this.#database.db
        .insertInto('app_minutes')
        .values({
          app_id: minute.appId,
          at: minute.at,
          requests: minute.requests,
          status_2xx: minute.status2xx,
          status_3xx: minute.status3xx,
          status_4xx: minute.status4xx,
          status_5xx: minute.status5xx,
          ms_sum: minute.msSum,
          ms_max: minute.msMax,
          bytes_in: minute.bytesIn,
          bytes_out: minute.bytesOut,
          last_at: minute.lastAt,
        })
        .onConflict((conflict) =>
          conflict.columns(['app_id', 'at']).doUpdateSet({
            requests: plus('requests'),
            status_2xx: plus('status_2xx'),
            status_3xx: plus('status_3xx'),
            status_4xx: plus('status_4xx'),
            status_5xx: plus('status_5xx'),
            ms_sum: plus('ms_sum'),
            ms_max: most('ms_max'),
            bytes_in: plus('bytes_in'),
            bytes_out: plus('bytes_out'),
            last_at: most('last_at'),
          }),
        )
        .execute();
    }
  }

  /** Which of these apps there are. */
  async living(appIds: readonly string[]): Promise<Set<string>> {
    const ids = [...new Set(appIds)];
    const known = new Set<string>();
    for (let first = 0; first < ids.length; first += 500) {
      const rows = await this.#database.db
        .selectFrom('apps')
        .select('id')
        .where('id', 'in', ids.slice(first, first + 500))
        .execute();
      for (const { id } of rows) known.add(id);
    }
    return known;
  }

  /** The curve of an app from `first` on, in steps, before `end` (ms); steps without requests are left out. */
  async points(appId: string, first: number, stepMs: number, end: number): Promise<AppPoint[]> {
    const rows = await this.#database.db
      .selectFrom('app_minutes')
      .select((select) => [
        sql<number>`cast((at - ${first}) / ${stepMs} as integer)`.as('index'),
        select.fn.sum<number>('requests').as('requests'),
        select.fn.sum<number>('status_2xx').as('status_2xx'),
        select.fn.sum<number>('status_3xx').as('status_3xx'),
        select.fn.sum<number>('status_4xx').as('status_4xx'),
        select.fn.sum<number>('status_5xx').as('status_5xx'),
        select.fn.sum<number>('ms_sum').as('ms_sum'),
        select.fn.max('ms_max').as('ms_max'),
        select.fn.sum<number>('bytes_in').as('bytes_in'),
        select.fn.sum<number>('bytes_out').as('bytes_out'),
      ])
      .where('app_id', '=', appId)
      .where('at', '>=', first)
      .where('at', '<', end)
      .groupBy('index')
      .execute();
    return rows.map((row) => ({
      index: row.index,
      requests: row.requests,
      status2xx: row.status_2xx,
      status3xx: row.status_3xx,
      status4xx: row.status_4xx,
      status5xx: row.status_5xx,
      msSum: row.ms_sum,
      msMax: row.ms_max,
      bytesIn: row.bytes_in,
      bytesOut: row.bytes_out,
    }));
  }

  /** What came since `since` (ms). */
  async traffic(appId: string, since: number): Promise<AppTraffic> {
    const [sums] = await this.#sums(appId, since);
    const [newest] = await this.#newest(appId);
    return { requests: sums?.requests ?? 0, errors: sums?.errors ?? 0, lastAt: newest?.last_at ?? null };
  }

  /** Forgets minutes before `before` (ms). */
  async prune(before: number): Promise<void> {
    await this.#database.db.deleteFrom('app_minutes').where('at', '<', before).execute();
  }
}
