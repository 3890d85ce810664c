// Reads the table `runs` (written by the reconciler): the runs of bots and how they ended. Must not write it.
import type { ExitReason, RunKind } from '@botel/contract/vocabulary';
import type { Exit } from '../domain/bot.ts';
import type { Database } from './database.ts';

/** Times in ms. `startedAt` is null where the program never ran and while the run is not over; so is `exit`. */
export interface Run {
  run: number;
  kind: RunKind;
  /** Nobody asked for it. */
  automatic: boolean;
  beganAt: number;
  startedAt: number | null;
  exit: Exit | null;
}

/** Runs of a bot that failed: how many, and when (ms) and why the last of them. */
export interface Failures {
  botId: string;
  count: number;
  reason: ExitReason;
  at: number;
}

export class RunStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs of a bot before the run `before` (null = all), newest first. */
  async newest(botId: string, before: number | null, limit: number): Promise<Run[]> {
    let select = this.#database.db
      .selectFrom('runs')
      .select(['run', 'kind', 'automatic', 'began_at', 'started_at', 'exit'])
      .where('bot_id', '=', botId)
      .orderBy('run', 'desc')
      .limit(limit);
    if (before !== null) select = select.where('run', '<', before);
    return (await select.execute()).map((row) => ({
      run: row.run,
      kind: row.kind as RunKind,
      automatic: row.automatic === 1,
      beganAt: row.began_at,
      startedAt: row.started_at,
      exit: row.exit === null ? null : (JSON.parse(row.exit) as Exit),
    }));
  }

  async count(botId: string): Promise<number> {
    const row = await this.#database.db
      .selectFrom('runs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('bot_id', '=', botId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /** Of every bot whose runs failed at or after `since` (ms). */
  async failuresSince(since: number): Promise<Failures[]> {
    const rows = await this.#database.db
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
}
