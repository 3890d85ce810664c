// The table `app_minutes`: requests to each app, per minute; no row for a minute without any.
import { type AliasedRawBuilder, sql } from 'kysely';
import type { AppMinute } from '../domain/app-access.ts';
import { type Times, timeBounds } from '../domain/response-times.ts';
import type { AppMinuteTable, TimeColumn } from './app-tables.ts';
import type { Database } from './database.ts';
import { Store } from './store.ts';

/** A point of a series: `index` steps after its start. */
export interface AppPoint extends Omit<AppMinute, 'appId' | 'at' | 'lastAt'> {
  index: number;
}

/** Requests within a period; `lastAt` is the newest of all (ms), null when there is none. */
export interface AppTraffic extends Pick<AppMinute, 'requests' | 'refused' | 'msMax' | 'times'> {
  /** Answered with a status of 500 to 599. */
  errors: number;
  lastAt: number | null;
}

const timeColumns = [...timeBounds, 'more' as const].map((bound): TimeColumn => `within_${bound}`);

type SumColumn = Exclude<keyof AppMinuteTable, 'app_id' | 'at' | 'ms_max' | 'last_at'>;
const sumColumns: readonly SumColumn[] = [
  'requests',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'refused',
  'timed',
  'ms_sum',
  'bytes_in',
  'bytes_out',
  ...timeColumns,
];
const maxColumns = ['ms_max', 'last_at'] as const;

type Sums = Record<SumColumn, number> & { ms_max: number };

export class AppMinutes extends Store {
  readonly #sums: (appId: string, since: number) => Promise<(Sums | Record<keyof Sums, null>)[]>;
  readonly #newest: (appId: string) => Promise<{ last_at: number }[]>;

  constructor(database: Database) {
    super(database);
    this.#sums = database.prepare((db) =>
      db.selectFrom('app_minutes').select(sumsOf()).where('app_id', '=', '').where('at', '>=', 0),
    );
    this.#newest = database.prepare((db) =>
      db.selectFrom('app_minutes').select('last_at').where('app_id', '=', '').orderBy('at', 'desc').limit(sql.lit(1)),
    );
  }

  /** Adds to the stored sums. */
  async add(minutes: readonly AppMinute[]): Promise<void> {
    const set = Object.fromEntries([
      ...sumColumns.map((column) => [column, sql`app_minutes.${sql.ref(column)} + excluded.${sql.ref(column)}`]),
      ...maxColumns.map((column) => [column, sql`max(app_minutes.${sql.ref(column)}, excluded.${sql.ref(column)})`]),
    ]);
    for (const minute of minutes)
      await this.db
        .insertInto('app_minutes')
        .values(rowOf(minute))
        .onConflict((conflict) => conflict.columns(['app_id', 'at']).doUpdateSet(set))
        .execute();
  }

  /** Returns the given apps that still exist. */
  async living(appIds: readonly string[]): Promise<Set<string>> {
    const ids = [...new Set(appIds)];
    const known = new Set<string>();
    for (let first = 0; first < ids.length; first += 500) {
      const rows = await this.db
        .selectFrom('apps')
        .select('id')
        .where('id', 'in', ids.slice(first, first + 500))
        .execute();
      for (const { id } of rows) known.add(id);
    }
    return known;
  }

  /** From `first` until before `end` (ms); steps without requests are omitted. */
  async points(appId: string, first: number, stepMs: number, end: number): Promise<AppPoint[]> {
    const rows = await this.db
      .selectFrom('app_minutes')
      .select([sql<number>`cast((at - ${first}) / ${stepMs} as integer)`.as('index'), ...sumsOf()])
      .where('app_id', '=', appId)
      .where('at', '>=', first)
      .where('at', '<', end)
      .groupBy('index')
      .$castTo<Sums & { index: number }>()
      .execute();
    return rows.map((row) => ({
      index: row.index,
      requests: row.requests,
      status2xx: row.status_2xx,
      status3xx: row.status_3xx,
      status4xx: row.status_4xx,
      status5xx: row.status_5xx,
      refused: row.refused,
      timed: row.timed,
      msSum: row.ms_sum,
      msMax: row.ms_max,
      times: timesOfRow(row),
      bytesIn: row.bytes_in,
      bytesOut: row.bytes_out,
    }));
  }

  /** Traffic since `since` (ms). */
  async traffic(appId: string, since: number): Promise<AppTraffic> {
    const [sums] = await this.#sums(appId, since);
    const [newest] = await this.#newest(appId);
    return {
      requests: sums?.requests ?? 0,
      errors: sums?.status_5xx ?? 0,
      refused: sums?.refused ?? 0,
      msMax: sums?.ms_max ?? 0,
      times: timesOfRow(sums ?? {}),
      lastAt: newest?.last_at ?? null,
    };
  }

  /** Deletes minutes before `before` (ms). */
  async prune(before: number): Promise<void> {
    await this.db.deleteFrom('app_minutes').where('at', '<', before).execute();
  }
}

function sumsOf(): AliasedRawBuilder<number, keyof Sums>[] {
  return [
    ...sumColumns.map((column) => sql<number>`sum(${sql.ref(column)})`.as(column)),
    sql<number>`max(ms_max)`.as('ms_max' as const),
  ];
}

function timesOfRow(row: Partial<Record<TimeColumn, number | null>>): Times {
  return timeColumns.map((column) => row[column] ?? 0);
}

function rowOf(minute: AppMinute): AppMinuteTable {
  const times = timeColumns.map((column, index) => [column, minute.times[index] ?? 0]);
  return {
    app_id: minute.appId,
    at: minute.at,
    requests: minute.requests,
    status_2xx: minute.status2xx,
    status_3xx: minute.status3xx,
    status_4xx: minute.status4xx,
    status_5xx: minute.status5xx,
    refused: minute.refused,
    timed: minute.timed,
    ms_sum: minute.msSum,
    ms_max: minute.msMax,
    bytes_in: minute.bytesIn,
    bytes_out: minute.bytesOut,
    last_at: minute.lastAt,
    ...(Object.fromEntries(times) as Record<TimeColumn, number>),
  };
}
