// The table `restores`: accepted, unfinished restores, which the next process resumes.
import type { PendingRestore } from '../domain/backup.ts';
import { toColumns } from './columns.ts';
import { Store } from './store.ts';
import type { RestoreTable } from './schema.ts';

export class PendingRestores extends Store {
  async add(restore: PendingRestore, now: number): Promise<void> {
    const row = { ...toColumns(restore), created_at: now };
    await this.db.insertInto('restores').values(row).execute();
  }

  /** Records that the safety backup exists, so that it is not repeated. */
  async safetyMade(botId: string): Promise<void> {
    await this.db.updateTable('restores').set({ safety: 0 }).where('bot_id', '=', botId).execute();
  }

  /** Removes a finished restore, successful or not. */
  async end(botId: string): Promise<void> {
    await this.db.deleteFrom('restores').where('bot_id', '=', botId).execute();
  }

  async ofBot(botId: string): Promise<PendingRestore | null> {
    const row = await this.#select().where('bot_id', '=', botId).executeTakeFirst();
    return row ? toPendingRestore(row) : null;
  }

  /** All pending restores, oldest first. */
  async all(): Promise<PendingRestore[]> {
    return (await this.#select().orderBy('created_at').execute()).map(toPendingRestore);
  }

  #select() {
    return this.db.selectFrom('restores').selectAll();
  }
}

function toPendingRestore(row: RestoreTable): PendingRestore {
  return { botId: row.bot_id, backupId: row.backup_id, userId: row.user_id, safety: row.safety === 1 };
}
