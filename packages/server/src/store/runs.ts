// Reads the table `runs` (written by the reconciler): the runs of a bot and how they ended. Must not write it.
import type { Exit, RunKind } from '../domain/bot.ts';
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
}
