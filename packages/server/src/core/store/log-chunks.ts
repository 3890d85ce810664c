// The logs of bots, and `log_cursors`: how much output of each run was read.
import type { Database } from './database.ts';
import { LineChunks, logTables } from './line-chunks.ts';

export class LogChunks extends LineChunks {
  constructor(database: Database) {
    super(database, logTables);
  }

  async cursor(botId: string, run: number): Promise<{ containerId: string; cursor: string } | null> {
    const row = await this.db
      .selectFrom('log_cursors')
      .select(['container_id', 'cursor'])
      .where('bot_id', '=', botId)
      .where('run', '=', run)
      .executeTakeFirst();
    return row ? { containerId: row.container_id, cursor: row.cursor } : null;
  }

  /** Replaces a run's cursor; deletes the cursors of older runs, except the previous one's. */
  async saveCursor(botId: string, run: number, cursor: { containerId: string; cursor: string }): Promise<void> {
    const values = { container_id: cursor.containerId, cursor: cursor.cursor };
    const { db } = this;
    const updated = await db
      .updateTable('log_cursors')
      .set(values)
      .where('bot_id', '=', botId)
      .where('run', '=', run)
      .executeTakeFirst();
    if (updated.numUpdatedRows > 0n) return;
    await db
      .insertInto('log_cursors')
      .values({ bot_id: botId, run, ...values })
      .execute();
    await db
      .deleteFrom('log_cursors')
      .where('bot_id', '=', botId)
      .where('run', '<', run - 1)
      .execute();
  }
}
