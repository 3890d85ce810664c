// The actions of a schedule: a lifecycle call on behalf of its owner, or a backup that replaces the
// oldest ones of the same schedule. Rejects with errors for the owner. schedule-runner.ts runs
// them.
import { ownerOf } from '../../core/domain/access.ts';
import type { Backup, BotLocks } from '../../core/domain/backup.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { BotelError, fail } from '../../core/domain/errors.ts';
import { backupName, isFulfilled, type Schedule } from '../../core/domain/schedule.ts';
import type { BackupRecords } from '../../core/store/backup-records.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { BackupsService } from './backups.ts';
import type { BotsService } from '../../core/services/bots.ts';

interface Deps {
  bots: BotsService;
  backups: BackupsService;
  store: BotReader;
  records: BackupRecords;
  locks: BotLocks;
}

export class ScheduledActions {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** For the time `at` (ms). A bot already in the desired state is no failure. */
  async perform(schedule: Schedule, at: number): Promise<void> {
    const bot = await this.#deps.store.find(schedule.botId);
    if (!bot) throw fail.botNotFound();
    if (schedule.action === 'backup') return this.#backUp(bot, schedule, at);
    try {
      await this.#call(bot, schedule.action);
    } catch (error) {
      if (!(error instanceof BotelError && isFulfilled(schedule.action, error.code))) throw error;
    }
  }

  async #call(bot: Bot, action: Exclude<Schedule['action'], 'backup'>): Promise<void> {
    const { bots } = this.#deps;
    const owner = ownerOf(bot);
    if (action === 'stop') await bots.stop(owner, bot.id, null);
    else await bots[action](owner, bot.id);
  }

  async #backUp(bot: Bot, schedule: Schedule, at: number): Promise<void> {
    const { backups, records, locks } = this.#deps;
    if (!locks.tryLock(bot.id, 'backup')) throw backups.busyError(bot.id);
    await backups.track(async (signal) => {
      try {
        const all = await records.ofBot(bot.id);
        const wanted = {
          name: backupName(schedule, at, new Set(all.map(({ name }) => name))),
          trigger: 'schedule' as const,
          userId: bot.ownerId,
          via: 'schedule' as const,
          scheduleId: schedule.id,
          instead: oneTooMany(all, schedule),
        };
        await backups.keep(bot, wanted, signal);
      } finally {
        locks.unlock(bot.id);
      }
    });
  }
}

/** The schedule's own backups in `all` (newest first) that a new one replaces. */
function oneTooMany(all: Backup[], { id, keep }: Schedule): Backup[] {
  if (keep === null) return [];
  return all.filter(({ scheduleId, locked }) => scheduleId === id && !locked).slice(keep - 1);
}
