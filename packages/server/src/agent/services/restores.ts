// Restores a backup into its bot or into a new one: files first, all or nothing, then the settings
// that fit. A restore into the bot is stored before the answer and survives the end of the process.
import type { EventType } from '@botel/contract/vocabulary';
import type { BackupStore } from '../backups/backup-store.ts';
import type { Caller } from '../../core/domain/access.ts';
import {
  type Backup,
  type BotLocks,
  backupToReplace,
  copiedSettings,
  type PendingRestore,
  readSettings,
  restoredSettings,
} from '../../core/domain/backup.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { BotelError, fail } from '../../core/domain/errors.ts';
import { availableMb, mebibyte, type Plan } from '../../core/domain/quota.ts';
import { mayHaveContainer, statusOf } from '../../core/domain/status.ts';
import type { BotFiles } from '../homes/bot-files.ts';
import type { ByteLimit } from '../homes/file-content.ts';
import type { OwnerWork, Work } from '../work/owner-work.ts';
import type { HomeBackups } from '../homes/home-backups.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { Ids } from '../../core/lib/ids.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { BackupRecords } from '../../core/store/backup-records.ts';
import type { BotStore } from '../../core/store/bots.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { PendingRestores } from '../../core/store/pending-restores.ts';
import type { BackupsService } from './backups.ts';
import type { BackupAccess } from '../../core/services/backup-access.ts';
import type { BotsService } from '../../core/services/bots.ts';

interface Deps {
  database: Database;
  bots: BotsService;
  service: BackupsService;
  access: BackupAccess;
  store: BotStore;
  accounts: AccountStore;
  records: BackupRecords;
  pendingRestores: PendingRestores;
  events: EventStore;
  backups: BackupStore;
  homes: HomeBackups;
  storage: Pick<HostStorage, 'refuseIfFull'>;
  files: Pick<BotFiles, 'exclusively'>;
  logs: Pick<LogStore, 'system'>;
  locks: BotLocks;
  work: OwnerWork;
  /** Debian packages that bots may request. */
  packages: readonly string[];
  clock: Clock;
  ids: Ids;
  /** Reports internal errors: no caller waits for a restore. */
  report(error: unknown, backupId: string): void;
}

/** A restore that was accepted. */
interface Accepted {
  bot: Bot;
  backup: Backup;
  desired: PendingRestore;
}

/** Settings of a new bot that override those of its backup. */
export interface WantedBot {
  name?: string | undefined;
  memoryMb?: number | undefined;
}

export class RestoresService {
  readonly #deps: Deps;
  #left: Accepted[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Finishes restores that were decided, locks the bots of those only accepted, and forgets new
   * bots. Call before anything changes a bot, and `resume` afterwards. Resolves to the errors. */
  async recover(): Promise<unknown[]> {
    const { homes, pendingRestores, store, records, locks } = this.#deps;
    await store.release(null);
    const failures = await homes.recover({
      apply: (botId, settings) => this.#complete(botId, settings),
      isRecorded: async (botId) => (await store.find(botId, { deletedToo: true })) !== null,
    });
    for (const desired of await pendingRestores.all()) {
      const [bot, backup] = [await store.find(desired.botId), await records.find(desired.backupId)];
      if (bot && backup && locks.tryLock(bot.id, 'restoring')) this.#left.push({ bot, backup, desired });
    }
    return failures;
  }

  /** Restarts the restores that an earlier process had accepted, one by one. */
  resume(): void {
    const left = this.#left.splice(0);
    void this.#deps.service.track(async (signal) => {
      for (const accepted of left) await this.#restore(accepted, signal);
    });
  }

  /** Creates a new bot, offline, from a backup; resolves when it is complete. */
  createBot(caller: Caller, backupId: string, wanted: WantedBot): Promise<{ bot: Bot; backup: Backup }> {
    const { service, access } = this.#deps;
    return service.track(async (signal) => {
      const backup = await access.own(caller, backupId);
      await this.#deps.storage.refuseIfFull();
      try {
        const request = {
          kind: 'backup' as const,
          ownerId: caller.userId,
          botId: backup.botId,
          field: 'backup',
          signal,
        };
        const bot = await this.#deps.work.run(request, (work) => this.#copy(caller, { backup, wanted }, work));
        return { backup, bot };
      } catch (error) {
        // It may have been deleted meanwhile.
        await access.own(caller, backupId);
        throw error;
      }
    });
  }

  async #copy(caller: Caller, { backup, wanted }: { backup: Backup; wanted: WantedBot }, work: Work): Promise<Bot> {
    const { bots, store, backups, homes, ids } = this.#deps;
    if (!(await backups.isWhole(backup, work.signal))) throw fail.backupDamaged();
    const open = async () => (await backups.read(backup.botId, backup.id, work.signal)).stream;
    const saved = readSettings(await homes.settings(await open()));
    const settings = {
      ...copiedSettings(saved, wanted, this.#deps.packages),
      environment: store.decryptEnvironment(saved.environment, saved.environmentOf),
    };
    const [id, { diskMb }] = [ids.uuid(), await this.#planOf(caller.userId)];
    const bot = { id, uid: await bots.reserve(caller, id, settings.memoryMb), diskMb };
    const message = `Bot "${settings.name}" was created from backup "${backup.name}"`;
    const detail = { backup_id: backup.id };
    try {
      return await homes.found(bot, {
        backup: await open(),
        limit: diskLimitOf({ diskMb }),
        work,
        record: () => bots.add(caller, { ...bot, ...settings }, { type: 'bot.created', message, detail }),
      });
    } finally {
      await store.release(id);
    }
  }

  /** Accepts a restore; with `safety` the current state becomes a backup first. */
  async begin(caller: Caller, backupId: string, safety: boolean): Promise<{ bot: Bot; backup: Backup }> {
    const { database, bots, service, access, records, pendingRestores, locks, storage, clock } = this.#deps;
    await storage.refuseIfFull();
    let claimed: string | null = null;
    const accepting = database.transaction(async () => {
      const backup = await access.own(caller, backupId);
      const bot = await bots.own(caller, backup.botId);
      if (locks.holder(bot.id)) throw service.busyError(bot.id);
      if (statusOf(bot) !== 'offline') throw fail.conflict('bot_not_offline');
      if (safety) backupToReplace(await records.ofBot(bot.id), backup.id);
      if (!locks.tryLock(bot.id, 'restoring')) throw service.busyError(bot.id);
      claimed = bot.id;
      const desired = { botId: bot.id, backupId: backup.id, userId: caller.userId, safety };
      await pendingRestores.add(desired, clock.now());
      return { bot, backup, desired };
    });
    const accepted = await accepting.catch((error) => {
      if (claimed) locks.unlock(claimed);
      throw error;
    });
    this.#deps.store.changed.publish(accepted.bot.id);
    void service.track((signal) => this.#restore(accepted, signal));
    return accepted;
  }

  async #restore(accepted: Accepted, signal: AbortSignal): Promise<void> {
    const { bot } = accepted;
    const { locks, store } = this.#deps;
    try {
      await this.#replaceFiles(accepted, signal);
    } catch (error) {
      // Interrupted by our own shutdown: the next process continues.
      if (!signal.aborted) await this.#noteFailure(accepted, error);
    } finally {
      locks.unlock(bot.id);
      store.changed.publish(bot.id);
      // A retry may have become due meanwhile.
      store.desiredChanged.publish(bot.id);
    }
  }

  async #replaceFiles(accepted: Accepted, signal: AbortSignal): Promise<void> {
    const { bot, backup, desired } = accepted;
    const { backups, work } = this.#deps;
    const request = { kind: 'backup' as const, ownerId: bot.ownerId, botId: bot.id, field: 'backup', signal };
    if (!(await work.run(request, (reading) => backups.isWhole(backup, reading.signal))))
      throw new Error('The file is damaged or missing');
    if (desired.safety) await this.#makeSafety(accepted, signal);
    await work.run(request, (unpacking) => this.#unpack(accepted, unpacking));
  }

  async #unpack({ bot, backup }: Accepted, work: Work): Promise<void> {
    const { backups, homes, files } = this.#deps;
    await homes.restore(bot, {
      backup: (await backups.read(bot.id, backup.id, work.signal)).stream,
      limit: diskLimitOf(bot),
      work,
      exclusively: (exchange) =>
        files.exclusively(bot.id, async () => {
          // A step of the reconciler may have been in progress when the bot was claimed.
          const now = await this.#deps.store.find(bot.id);
          if (!now || statusOf(now) !== 'offline' || mayHaveContainer(now)) throw fail.conflict('bot_not_offline');
          await exchange();
        }),
      apply: (botId, settings) => this.#complete(botId, settings),
    });
  }

  async #makeSafety({ bot, backup, desired }: Accepted, signal: AbortSignal): Promise<void> {
    const { service, pendingRestores, records, clock } = this.#deps;
    const wanted = {
      name: `Before restore ${new Date(clock.now()).toISOString()}`,
      trigger: 'safety' as const,
      userId: desired.userId,
      instead: backupToReplace(await records.ofBot(bot.id), backup.id),
      alongside: () => pendingRestores.safetyMade(bot.id),
    };
    await service.keep(bot, wanted, signal);
  }

  /** After the files: applies the settings, reports the end and releases the bot. */
  async #complete(botId: string, settings: string): Promise<void> {
    const { database, pendingRestores, store, records } = this.#deps;
    await database.transaction(async () => {
      await this.#applySettings(botId, settings);
      const desired = await pendingRestores.ofBot(botId);
      const [bot, backup] = desired ? [await store.find(botId), await records.find(desired.backupId)] : [];
      if (desired && bot && backup)
        await this.#end({ bot, backup, desired }, 'backup.restored', `Backup "${backup.name}" was restored`);
    });
  }

  /** Gives a bot the settings of a backup, except those that it can't have. */
  async #applySettings(botId: string, text: string): Promise<void> {
    const { store, accounts, clock } = this.#deps;
    const saved = readSettings(text);
    const bot = await store.find(botId);
    if (!bot) return;
    await accounts.lockReservations(bot.ownerId);
    const plan = await this.#planOf(bot.ownerId);
    const available = availableMb(plan.memoryMb, (await store.reserved(bot.ownerId, bot.id)).memoryMb);
    await store.update(bot.id, restoredSettings(saved, bot, available, this.#deps.packages), clock.now());
    const environment = store.decryptEnvironment(saved.environment, saved.environmentOf);
    await store.saveEnvironment(bot.id, environment, clock.now());
    // The installed packages need not be those of the last build.
    await store.forgetBuild(bot.id, clock.now());
  }

  async #planOf(userId: string): Promise<Plan> {
    const plan = await this.#deps.accounts.findPlanOf(userId);
    if (!plan) throw new Error('A user has no plan');
    return plan;
  }

  /** Shows the owner errors meant for callers; reports the others. */
  async #noteFailure(accepted: Accepted, error: unknown): Promise<void> {
    const [{ database, report }, { backup }] = [this.#deps, accepted];
    const known = error instanceof BotelError && error.code !== 'internal';
    const reason = known ? error.message : 'the file is damaged or something went wrong on the server';
    if (!known) report(error, backup.id);
    const message = `Backup "${backup.name}" was not restored: ${reason}`;
    try {
      await database.transaction(() => this.#end(accepted, 'backup.failed', message));
    } catch (failure) {
      report(failure, backup.id);
    }
  }

  /** Ends the restore: a line in the log for the author, an event for programs. */
  async #end({ bot, backup, desired }: Accepted, type: EventType, message: string): Promise<void> {
    const { pendingRestores, events, logs, clock } = this.#deps;
    await pendingRestores.end(bot.id);
    await events.add(
      bot,
      { type, message, detail: { backup_id: backup.id } },
      { at: clock.now(), userId: desired.userId },
    );
    await logs.system(bot.id, bot.observed.run, message);
  }
}

function diskLimitOf({ diskMb }: Pick<Plan, 'diskMb'>): ByteLimit {
  return { bytes: diskMb * mebibyte, error: () => fail.diskLimit(diskMb, diskMb) };
}
