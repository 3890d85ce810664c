// The table `inputs`: texts on their way to the stdin of running bots. Services insert and delete the rows, the
// StdinDispatcher updates their states. A text is encrypted while it waits and erased once it is handed out.
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
  /** A text for the bot (key: its id) was committed. */
  readonly given = new Topic();
  /** What became of a text (key: its id as text) was committed. */
  readonly settled = new Topic();
  readonly #cipher: TextCipher;

  constructor(database: Database, cipher: TextCipher) {
    super(database);
    this.#cipher = cipher;
  }

  /** Services: adds a text; returns its id, which is greater than those of all before. */
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

  /** How many texts of the bot there are, with those whose caller has not heard of them yet. */
  async count(botId: string): Promise<number> {
    return countOf(this.db.selectFrom('inputs').where('bot_id', '=', botId));
  }

  /** Null when there is no such text (any more). */
  async state(id: number): Promise<InputState | null> {
    const row = await this.db.selectFrom('inputs').select('state').where('id', '=', id).executeTakeFirst();
    return row?.state ?? null;
  }

  /** Services: the caller has its answer, or waits no longer. What was not begun never is. */
  async remove(id: number): Promise<void> {
    await this.db.deleteFrom('inputs').where('id', '=', id).execute();
  }

  /** Services: texts of before `before` (ms), whose callers went away with their process. */
  async prune(before: number): Promise<void> {
    await this.db.deleteFrom('inputs').where('created_at', '<', before).execute();
  }

  /** Reconciler: hands out the bot's oldest text that waits, once: from now on it counts as begun. */
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

  /** Reconciler: what became of a text. */
  async settle(id: number, state: InputState): Promise<void> {
    await this.#set(id, state);
    this.database.onCommit(() => this.settled.publish(String(id)));
  }

  /** Reconciler, before it delivers anything: what was begun in an earlier life is over. Returns the bots with texts. */
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
