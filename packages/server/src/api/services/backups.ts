// What callers may see and lock of their bots' backups; the agent does the rest.
import type { Caller } from '../../core/domain/access.ts';
import type { Bot } from '../../core/domain/bot.ts';
import type { BackupAccess, BackupView } from '../../core/services/backup-access.ts';
import type { BotsService } from '../../core/services/bots.ts';
import type { BackupRecords } from '../../core/store/backup-records.ts';
import type { Database } from '../../core/store/database.ts';

interface Deps {
  database: Database;
  bots: Pick<BotsService, 'own'>;
  access: BackupAccess;
  records: BackupRecords;
}

export class BackupListService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The bot's backups, newest first. */
  async list(caller: Caller, botId: string): Promise<{ bot: Bot; views: BackupView[] }> {
    const { bots, records, access } = this.#deps;
    const bot = await bots.own(caller, botId);
    const backups = await records.ofBot(bot.id);
    return { bot, views: backups.map((backup) => access.view(caller, backup)) };
  }

  async setLocked(caller: Caller, backupId: string, locked: boolean): Promise<BackupView> {
    const { database, access, records } = this.#deps;
    const backup = await database.transaction(async () => {
      const { id } = await access.own(caller, backupId);
      await records.setLocked(id, locked);
      return access.own(caller, id);
    });
    return access.view(caller, backup);
  }
}
