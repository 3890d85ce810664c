// The table `observations`, written by the reconciler only. Publishes every committed change.
import type { Observed } from '../domain/bot.ts';
import type { Topic } from '../lib/topic.ts';
import { toColumns } from './columns.ts';
import type { Database } from './database.ts';
import { Store } from './store.ts';

export class ObservationStore extends Store {
  readonly #changed: Topic;

  /** `changed` is the topic of the BotReader. */
  constructor(database: Database, changed: Topic) {
    super(database);
    this.#changed = changed;
  }

  /** Ids of the bots with a recorded running container, or a possible one. */
  async running(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('observations')
      .select('bot_id')
      .where('run_state', 'in', ['creating', 'running'])
      .execute();
    return rows.map((row) => row.bot_id);
  }

  async record(id: string, change: Partial<Observed>): Promise<void> {
    await this.db.updateTable('observations').set(toColumns(change)).where('bot_id', '=', id).execute();
    this.#announce(id);
  }

  /** All containers were listed. Publishes nothing: differences are recorded bot by bot. */
  async markObserved(now: number): Promise<void> {
    await this.db.updateTable('observations').set({ observed_at: now }).where('container_id', 'is not', null).execute();
  }

  /** Deletes the bot and all rows that refer to it, once nothing of it remains on the machine. */
  async purge(id: string): Promise<void> {
    await this.db.deleteFrom('bots').where('id', '=', id).execute();
    this.#announce(id);
  }

  #announce(id: string): void {
    this.database.onCommit(() => this.#changed.publish(id));
  }
}

/** Inserts the initial row of a bot, together with the bot itself. */
export async function insertEmptyObservation(db: Database['db'], botId: string): Promise<void> {
  await db
    .insertInto('observations')
    .values({
      bot_id: botId,
      run: 0,
      run_state: 'none',
      run_generation: 0,
      stop_killed: 0,
      failures: 0,
      failures_generation: 0,
      restart_count: 0,
    })
    .execute();
}
