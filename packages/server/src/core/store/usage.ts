// The table `usage_minutes`: usage of each running bot, per minute and later per ten minutes. Also
// reads which bots run, and when runs began and ended.
import type { ExitReason, RunKind } from '@botel/contract/vocabulary';
import { type NotNull, sql } from 'kysely';
import type { UsageBucket } from '../domain/usage.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';

export const minuteMs = 60_000;
export const tenMinutesMs = 600_000;
const rowsPerInsert = 500;

/** A running bot, as far as metrics need it. `startedAt` is ms; `memoryMb` is its run's. */
export interface RunningBot {
  id: string;
  run: number;
  containerId: string;
  startedAt: number;
  memoryMb: number;
}

/** A point of a series: `index` steps after its start. */
export interface UsagePoint extends Omit<UsageBucket, 'botId' | 'run'> {
  index: number;
}

/** `at` is its beginning (ms). */
export type UsageMinute = Pick<UsageBucket, 'cpuPercent' | 'memoryBytes'> & { at: number };

/** In ms, null for what has not happened. `automatic`: begun without a request. */
export interface RunTimes {
  run: number;
  kind: RunKind;
  automatic: boolean;
  beganAt: number;
  startedAt: number | null;
  endedAt: number | null;
  endReason: ExitReason | null;
}

export class UsageStore extends Store {
  /** Bots whose program was observed running; excludes builds. */
  async running(): Promise<RunningBot[]> {
    const rows = await this.db
      .selectFrom('observations')
      .innerJoin('bots', 'bots.id', 'observations.bot_id')
      .select(['bots.id', 'run', 'container_id', 'started_at'])
      .select((select) => select.fn.coalesce('run_memory_mb', 'memory_mb').as('memory_mb'))
      .where('run_state', '=', 'running')
      .where('run_kind', '=', 'bot')
      .where('container_id', 'is not', null)
      .where('started_at', 'is not', null)
      .$narrowType<{ container_id: NotNull; started_at: NotNull }>()
      .execute();
    return rows.map(fromColumns);
  }

  /** Adds the buckets of the minute from `at` to the stored ones. Skips deleted bots. */
  async addMinute(at: number, buckets: UsageBucket[]): Promise<void> {
    await this.database.transaction(async () => {
      const { db } = this;
      const known = new Set((await db.selectFrom('bots').select('id').execute()).map((row) => row.id));
      const rows = buckets
        .filter(({ botId }) => known.has(botId))
        .map((bucket) => ({ at, span_ms: minuteMs, ...toColumns(bucket) }));
      for (let first = 0; first < rows.length; first += rowsPerInsert) {
        await db
          .insertInto('usage_minutes')
          .values(rows.slice(first, first + rowsPerInsert))
          .onConflict((conflict) =>
            conflict.columns(['bot_id', 'at', 'span_ms']).doUpdateSet((set) => ({
              run: set.ref('excluded.run'),
              cpu_percent: set.ref('excluded.cpu_percent'),
              memory_bytes: sql<number>`max(usage_minutes.memory_bytes, excluded.memory_bytes)`,
              disk_bytes: set.ref('excluded.disk_bytes'),
              net_rx_bytes: sql<number>`coalesce(usage_minutes.net_rx_bytes, 0) + excluded.net_rx_bytes`,
              net_tx_bytes: sql<number>`coalesce(usage_minutes.net_tx_bytes, 0) + excluded.net_tx_bytes`,
              pids: set.ref('excluded.pids'),
            })),
          )
          .execute();
      }
    });
  }

  /** Merges minutes before `before` (ms) by ten. Bound numbers are reals, but `%` uses integers. */
  async rollUp(before: number): Promise<void> {
    const end = Math.floor(before / tenMinutesMs) * tenMinutesMs;
    await this.database.transaction(async () => {
      const { db } = this;
      await sql`
        insert into usage_minutes
          (bot_id, at, span_ms, run, cpu_percent, memory_bytes, disk_bytes, net_rx_bytes, net_tx_bytes, pids)
        select bot_id, at - at % ${tenMinutesMs}, ${tenMinutesMs}, max(run), avg(cpu_percent),
          max(memory_bytes), max(disk_bytes), sum(net_rx_bytes), sum(net_tx_bytes), max(pids)
        from usage_minutes where span_ms = ${minuteMs} and at < ${end}
        group by 1, 2
        on conflict (bot_id, at, span_ms) do nothing`.execute(db);
      await db.deleteFrom('usage_minutes').where('span_ms', '=', minuteMs).where('at', '<', end).execute();
    });
  }

  /** Deletes buckets that began before `before` (ms). */
  async prune(before: number): Promise<void> {
    for (const bucketMs of [minuteMs, tenMinutesMs]) {
      await this.db.deleteFrom('usage_minutes').where('span_ms', '=', bucketMs).where('at', '<', before).execute();
    }
  }

  /** The series of a bot from `first` until before `end` (ms); steps without data are omitted. */
  async points(botId: string, first: number, stepMs: number, end: number): Promise<UsagePoint[]> {
    const rows = await this.db
      .selectFrom('usage_minutes')
      .select((select) => [
        sql<number>`cast((at - ${first}) / ${stepMs} as integer)`.as('index'),
        select.fn.avg<number | null>('cpu_percent').as('cpu_percent'),
        select.fn.max('memory_bytes').as('memory_bytes'),
        select.fn.max('disk_bytes').as('disk_bytes'),
        select.fn.sum<number | null>('net_rx_bytes').as('net_rx_bytes'),
        select.fn.sum<number | null>('net_tx_bytes').as('net_tx_bytes'),
        select.fn.max('pids').as('pids'),
      ])
      .where('bot_id', '=', botId)
      .where('at', '>=', first)
      .where('at', '<', end)
      .groupBy('index')
      .execute();
    return rows.map((row) => ({
      ...fromColumns(row),
      cpuPercent: row.cpu_percent === null ? null : Math.round(row.cpu_percent * 10) / 10,
    }));
  }

  /** Minutes of all bots of an owner from `first` until before `end` (ms), by bot. */
  async minutes(ownerId: string, first: number, end: number): Promise<Map<string, UsageMinute[]>> {
    const rows = await this.db
      .selectFrom('usage_minutes')
      .innerJoin('bots', 'bots.id', 'usage_minutes.bot_id')
      .select(['bot_id', 'at', 'cpu_percent', 'memory_bytes'])
      .where('owner_id', '=', ownerId)
      .where('span_ms', '=', minuteMs)
      .where('at', '>=', first)
      .where('at', '<', end)
      .execute();
    const minutes = Map.groupBy(rows, (row) => row.bot_id);
    return new Map(
      [...minutes].map(([botId, own]) => [
        botId,
        own.map((row) => ({ at: row.at, cpuPercent: row.cpu_percent, memoryBytes: row.memory_bytes })),
      ]),
    );
  }

  /** Online time (ms) within the period of each bot of an owner that was online. */
  async onlineMs(ownerId: string, from: number, to: number): Promise<Map<string, number>> {
    const { db } = this;
    const ended = await db
      .selectFrom('runs')
      // By end time: a day has far fewer runs. The unary plus keeps SQLite from reading them all.
      .innerJoin('bots', (join) => join.on(sql<boolean>`bots.id = +runs.bot_id`))
      .select('bots.id')
      .select(sql<number | null>`sum(max(0, min(runs.ended_at, ${to}) - max(runs.started_at, ${from})))`.as('ms'))
      .where('owner_id', '=', ownerId)
      .where('kind', '=', 'bot')
      .where('ended_at', '>', from)
      .groupBy('bots.id')
      .execute();
    const running = await db
      .selectFrom('bots')
      .innerJoin('observations', 'observations.bot_id', 'bots.id')
      .select(['bots.id', 'started_at'])
      .where('owner_id', '=', ownerId)
      .where('run_state', '=', 'running')
      .where('run_kind', '=', 'bot')
      .execute();
    const sums = new Map(ended.map((row) => [row.id, row.ms ?? 0]));
    for (const { id, started_at: startedAt } of running)
      if (startedAt !== null) sums.set(id, (sums.get(id) ?? 0) + Math.max(0, to - Math.max(startedAt, from)));
    return sums;
  }

  /** The newest runs that may have lived after `since` (ms), newest first. */
  async runs(botId: string, since: number, limit: number): Promise<RunTimes[]> {
    const rows = await this.db
      .selectFrom('runs')
      .select(['run', 'kind', 'automatic', 'began_at', 'started_at', 'ended_at', 'end_reason'])
      .where('bot_id', '=', botId)
      .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>', since)]))
      .orderBy('run', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      ...fromColumns(row),
      kind: row.kind as RunKind,
      automatic: row.automatic === 1,
      endReason: row.end_reason as ExitReason | null,
    }));
  }
}
