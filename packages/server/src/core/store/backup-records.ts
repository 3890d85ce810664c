// The table `backups`: a record is created before its file and deleted after it, so after a crash
// it shows what was in progress.
import type { Selectable } from 'kysely';
import type { Backup } from '../domain/backup.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';
import type { BackupTable } from './schema.ts';

export class BackupRecords extends Store {
  /** Inserts a backup whose file is not written yet; it is not listed. */
  async begin(backup: Omit<Backup, 'sizeBytes' | 'sha256' | 'locked'>): Promise<void> {
    await this.db
      .insertInto('backups')
      .values({ ...toColumns(backup), state: 'writing' })
      .execute();
  }

  /** The file is stored, and listed from now on. Null when the bot was deleted meanwhile. */
  async complete(id: string, file: { sizeBytes: number; sha256: string }): Promise<Backup | null> {
    await this.db
      .updateTable('backups')
      .set({ state: 'stored', size_bytes: file.sizeBytes, sha256: file.sha256 })
      .where('id', '=', id)
      .execute();
    return this.find(id);
  }

  async find(id: string): Promise<Backup | null> {
    const row = await this.#stored().where('id', '=', id).executeTakeFirst();
    return row ? toBackup(row) : null;
  }

  /** The bot's backups, newest first. */
  async ofBot(botId: string): Promise<Backup[]> {
    const rows = await this.#stored().where('bot_id', '=', botId).orderBy('created_at', 'desc').orderBy('id').execute();
    return rows.map(toBackup);
  }

  /** Bytes of all backups of an owner's bots. */
  async bytesOf(ownerId: string): Promise<number> {
    const row = await this.db
      .selectFrom('backups')
      .innerJoin('bots', 'bots.id', 'backups.bot_id')
      .select((select) => select.fn.sum<number | null>('size_bytes').as('bytes'))
      .where('owner_id', '=', ownerId)
      .executeTakeFirstOrThrow();
    return Number(row.bytes ?? 0);
  }

  async setLocked(id: string, locked: boolean): Promise<void> {
    await this.db
      .updateTable('backups')
      .set({ locked: locked ? 1 : 0 })
      .where('id', '=', id)
      .execute();
  }

  /** Hides the backup before its file is deleted. False when it is locked and therefore kept. */
  async beginRemoval(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('backups')
      .set({ state: 'deleting' })
      .where('id', '=', id)
      .where('locked', '=', 0)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Deletes the record after its file. */
  async remove(id: string): Promise<void> {
    await this.db.deleteFrom('backups').where('id', '=', id).execute();
  }

  /** Backups that an earlier process was writing or deleting when it ended. */
  async unfinished(): Promise<{ id: string; botId: string }[]> {
    const rows = await this.db.selectFrom('backups').select(['id', 'bot_id']).where('state', '!=', 'stored').execute();
    return rows.map((row) => ({ id: row.id, botId: row.bot_id }));
  }

  #stored() {
    return this.db.selectFrom('backups').selectAll().where('state', '=', 'stored');
  }
}

function toBackup({ state: _, ...row }: Selectable<BackupTable>): Backup {
  return { ...fromColumns(row), locked: row.locked === 1 };
}
