// The table `runs`: the runs of bots and how they ended. Only the reconciler writes it.
import type { ExitReason, RunKind } from '@botel/contract/vocabulary';
import { sql } from 'kysely';
import type { Exit } from '../domain/bot.ts';
import { fromColumns, toColumns } from './columns.ts';
import type { Database } from './database.ts';
import { countOf, Store } from './store.ts';

/** Records kept per bot. */
export const keptRuns = 1000;

/** A run about to begin; `beganAt` in ms. */
export interface NewRun {
  run: number;
  kind: RunKind;
  /** Generation of the desired state that it serves. */
  generation: number;
  automatic: boolean;
  beganAt: number;
}

/** Times in ms. `startedAt` is null when the program never ran, and, like `exit`, until the end. */
export interface Run {
  run: number;
  kind: RunKind;
  /** Begun without a request. */
  automatic: boolean;
  beganAt: number;
  startedAt: number | null;
  exit: Exit | null;
}

/** Failed runs of a bot: their number, and the time (ms) and reason of the last. */
export interface Failures {
  botId: string;
  count: number;
  reason: ExitReason;
  at: number;
}

export class RunStore extends Store {
  readonly #restarts: (botId: string, since: number) => Promise<{ count: number }[]>;

  constructor(database: Database) {
    super(database);
    this.#restarts = database.prepare((db) =>
      db
        .selectFrom('runs')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('bot_id', '=', '')
        .where('automatic', '=', sql.lit(1))
        .where('began_at', '>=', 0),
    );
  }

  /** A bot's runs before the run `before` (null = all), newest first. */
  async newest(botId: string, before: number | null, limit: number): Promise<Run[]> {
    let select = this.db
      .selectFrom('runs')
      .select(['run', 'kind', 'automatic', 'began_at', 'started_at', 'exit'])
      .where('bot_id', '=', botId)
      .orderBy('run', 'desc')
      .limit(limit);
    if (before !== null) select = select.where('run', '<', before);
    return (await select.execute()).map((row) => ({
      ...fromColumns(row),
      kind: row.kind as RunKind,
      automatic: row.automatic === 1,
      exit: row.exit === null ? null : (JSON.parse(row.exit) as Exit),
    }));
  }

  count(botId: string): Promise<number> {
    return countOf(this.db.selectFrom('runs').where('bot_id', '=', botId));
  }

  /** Failures of every bot whose runs failed at or after `since` (ms). */
  async failuresSince(since: number): Promise<Failures[]> {
    const rows = await this.db
      .selectFrom('runs')
      .select((select) => [
        'bot_id',
        'end_reason',
        select.fn.countAll<number>().as('count'),
        select.fn.max<number>('ended_at').as('at'),
      ])
      .where('ended_at', '>=', since)
      .where('end_reason', 'not in', ['stopped', 'killed', 'interrupted', 'exited'])
      .groupBy(['bot_id', 'end_reason'])
      .orderBy('at')
      .execute();
    const byBot = new Map<string, Failures>();
    for (const { bot_id: botId, end_reason: reason, count, at } of rows)
      byBot.set(botId, {
        botId,
        count: (byBot.get(botId)?.count ?? 0) + Number(count),
        reason: reason as ExitReason,
        at,
      });
    return [...byBot.values()];
  }

  /** Automatic restarts that began at or after `since` (ms). */
  async restartsSince(botId: string, since: number): Promise<number> {
    return Number((await this.#restarts(botId, since))[0]?.count);
  }

  /** Opens the record of a new run; deletes the bot's oldest record beyond `keptRuns`. */
  async begin(botId: string, run: NewRun): Promise<void> {
    await this.db
      .deleteFrom('runs')
      .where('bot_id', '=', botId)
      .where('run', '<=', run.run - keptRuns)
      .execute();
    await this.db
      .insertInto('runs')
      .values(toColumns({ botId, ...run }))
      .execute();
  }

  /** Closes the record of a run. */
  async end(botId: string, exit: Exit, startedAt: number | null): Promise<void> {
    await this.db
      .updateTable('runs')
      .set({ exit: JSON.stringify(exit), started_at: startedAt, ended_at: exit.at, end_reason: exit.reason })
      .where('bot_id', '=', botId)
      .where('run', '=', exit.run)
      .execute();
  }

  /** Deletes runs that began before `before` (ms), but keeps the newest of each bot. */
  async prune(before: number): Promise<void> {
    await this.db
      .deleteFrom('runs')
      .where('began_at', '<', before)
      .where((where) =>
        where.exists(
          where
            .selectFrom('observations')
            .select('observations.bot_id')
            .whereRef('observations.bot_id', '=', 'runs.bot_id')
            .whereRef('observations.run', '>', 'runs.run'),
        ),
      )
      .execute();
  }
}
