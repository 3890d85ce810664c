// The table `inputs`: texts for the stdin of running bots. Services add and remove them; the
// StdinDispatcher updates their states. A text is encrypted while pending and erased when handed
// out.
import type { InputState } from '../domain/input.ts';
import type { TextCipher } from '../lib/text-cipher.ts';
import { Topic } from '../lib/topic.ts';
import type { Database } from './database.ts';
import { countOf, Store } from './store.ts';

/** A text for one run of a bot; `createdAt` in ms. */
export interface NewInput {
  botId: string;
  run: number;
  text: string;
  createdAt: number;
}

export class InputStore extends Store {
  /** Published when a text for the bot (key: its id) was committed. */
  readonly given = new Topic();
  /** Published when the outcome of a text (key: its id as a string) was committed. */
  readonly settled = new Topic();
  readonly #cipher: TextCipher;

  constructor(database: Database, cipher: TextCipher) {
    super(database);
    this.#cipher = cipher;
  }

  /** For services: adds a text and returns its id; ids increase. */
  async add({ botId, run, text, createdAt }: NewInput): Promise<number> {
    const encrypted = this.#cipher.encrypt(text, inputContext(botId, run));
    const { id } = await this.db
      .insertInto('inputs')
      .values({ bot_id: botId, run, text: encrypted, state: 'pending', created_at: createdAt })
      .returning('id')
      .executeTakeFirstOrThrow();
    this.database.onCommit(() => this.given.publish(botId));
    return id;
  }

  /** Number of the bot's texts, including those whose caller has not yet received the outcome. */
  async count(botId: string): Promise<number> {
    return countOf(this.db.selectFrom('inputs').where('bot_id', '=', botId));
  }

  /** Null when the text does not exist. */
  async state(id: number): Promise<InputState | null> {
    const row = await this.db.selectFrom('inputs').select('state').where('id', '=', id).executeTakeFirst();
    return row?.state ?? null;
  }

  /**
   * For services, once the caller has an answer or gave up. A pending text is then never written.
   */
  async remove(id: number): Promise<void> {
    await this.db.deleteFrom('inputs').where('id', '=', id).execute();
  }

  /** For services: removes texts from before `before` (ms), whose callers are gone. */
  async prune(before: number): Promise<void> {
    await this.db.deleteFrom('inputs').where('created_at', '<', before).execute();
  }

  /** For the reconciler: claims the bot's oldest pending text; it counts as begun from now on. */
  take(botId: string): Promise<(NewInput & { id: number }) | null> {
    return this.database.transaction(async () => {
      const row = await this.db
        .selectFrom('inputs')
        .selectAll()
        .where('bot_id', '=', botId)
        .where('state', '=', 'pending')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      if (!row) return null;
      await this.#set(row.id, 'writing');
      const text = this.#cipher.decrypt(row.text, inputContext(botId, row.run));
      return { id: row.id, botId, run: row.run, text, createdAt: row.created_at };
    });
  }

  /** For the reconciler: records the outcome of a text. */
  async settle(id: number, state: InputState): Promise<void> {
    await this.#set(id, state);
    this.database.onCommit(() => this.settled.publish(String(id)));
  }

  /** For the reconciler, first: fails begun texts; returns the bots with pending ones. */
  async takeUp(): Promise<string[]> {
    const { db } = this;
    const begun = await db.selectFrom('inputs').select('id').where('state', '=', 'writing').execute();
    for (const { id } of begun) await this.settle(id, 'failed');
    const rows = await db.selectFrom('inputs').select('bot_id').distinct().where('state', '=', 'pending').execute();
    return rows.map((row) => row.bot_id);
  }

  async #set(id: number, state: InputState): Promise<void> {
    await this.db.updateTable('inputs').set({ state, text: '' }).where('id', '=', id).execute();
  }
}

/** Binds an encrypted text to its bot and run. */
function inputContext(botId: string, run: number): string {
  return `input ${botId} ${run}`;
}
