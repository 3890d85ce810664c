// The backups service: create, list, lock, delete and download backups. restores.ts restores them.
// Only this process knows the operations in progress (claims): one process creates and restores
// backups.
import type { Readable } from 'node:stream';
import type { BackupTrigger, Via } from '@botel/contract/vocabulary';
import type { BackupStore } from '../backups/backup-store.ts';
import type { Caller } from '../../core/domain/access.ts';
import { type Backup, type BotLocks, backupsMax, packedBytesMax, writeSettings } from '../../core/domain/backup.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { type BotelError, fail } from '../../core/domain/errors.ts';
import type { OwnerWork } from '../work/owner-work.ts';
import type { HomeBackups } from '../homes/home-backups.ts';
import { mebibyte, planDiskMb } from '../../core/domain/quota.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { Ids } from '../../core/lib/ids.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { BackupRecords } from '../../core/store/backup-records.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { BackupAccess, BackupLink, BackupView } from '../../core/services/backup-access.ts';
import type { BotsService } from '../../core/services/bots.ts';

const linkCheckMs = 2000;

/** A backup to be created. */
export interface NewBackup {
  name: string;
  trigger: BackupTrigger;
  /** Who requested it, and through which interface. */
  userId: string;
  via?: Via | undefined;
  scheduleId?: string | null;
  /** Backups that the new one replaces, unless they are locked. */
  instead?: Backup[];
  /** Further writes in the transaction that stores it. */
  alongside?(): Promise<void>;
}

interface Deps {
  database: Database;
  bots: BotsService;
  accounts: Pick<AccountStore, 'findPlanOf'>;
  store: BotReader;
  access: BackupAccess;
  records: BackupRecords;
  events: EventStore;
  backups: BackupStore;
  homes: HomeBackups;
  storage: Pick<HostStorage, 'refuseIfFull'>;
  locks: BotLocks;
  work: OwnerWork;
  clock: Clock;
  ids: Ids;
}

export class BackupsService {
  readonly #deps: Deps;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Clears what an earlier process did not finish. Call before anything else. */
  async recover(): Promise<void> {
    const { records, backups } = this.#deps;
    await backups.recover();
    for (const { id, botId } of await records.unfinished()) await this.#discard(botId, id);
  }

  /** Aborts backups being written; resolves when none is. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  /** Stores the bot's current files and settings; resolves when they are on the disk. */
  async create(caller: Caller, botId: string, name: string): Promise<BackupView> {
    const bot = await this.#deps.bots.own(caller, botId);
    if (!this.#deps.locks.tryLock(bot.id, 'backup')) throw this.busyError(bot.id);
    return this.track(async (signal) => {
      try {
        return this.#deps.access.view(
          caller,
          await this.keep(bot, { name, trigger: 'manual', userId: caller.userId, via: caller.via }, signal),
        );
      } finally {
        this.#deps.locks.unlock(bot.id);
      }
    });
  }

  /** Resolves to the deleted backup. */
  async delete(caller: Caller, backupId: string): Promise<BackupView> {
    const { database, records } = this.#deps;
    const backup = await database.transaction(async () => {
      const found = await this.#deps.access.own(caller, backupId);
      if (found.locked) throw fail.backupLocked();
      // Its file is being read.
      if (this.#deps.locks.holder(found.botId) === 'restoring') throw this.busyError(found.botId);
      await records.beginRemoval(found.id);
      return found;
    });
    await this.#discard(backup.botId, backup.id);
    return this.#deps.access.view(caller, backup);
  }

  /** The file, for a valid and unexpired link; the stream must be read or destroyed. */
  async download(backupId: string, link: BackupLink): Promise<{ backup: Backup; sizeBytes: number; stream: Readable }> {
    const { access, backups, clock } = this.#deps;
    const backup = await access.ofLink(backupId, link);
    const { sizeBytes, stream } = await backups.read(backup.botId, backup.id);
    return { backup, sizeBytes, stream: endUnless(() => access.isValid(link), stream, clock) };
  }

  /** 409, for a bot that is claimed. */
  busyError(botId: string): BotelError {
    return fail.botBusy(this.#deps.locks.holder(botId) ?? 'backup');
  }

  /** Runs `work` so that `close` aborts it by its signal and waits for it. */
  track<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = work(this.#stop.signal);
    const settled = running.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    return running;
  }

  /** Stores a backup of a bot that the caller of this has claimed. */
  async keep(bot: Bot, wanted: NewBackup, signal: AbortSignal): Promise<Backup> {
    const { name, trigger, scheduleId = null, instead = [] } = wanted;
    const { database, records, storage, clock, ids } = this.#deps;
    await storage.refuseIfFull();
    const id = ids.uuid();
    await database.transaction(async () => {
      await this.#checkRoom(bot, name, instead);
      await records.begin({ id, botId: bot.id, name, trigger, scheduleId, createdAt: clock.now() });
    });
    const { stored, gone } = await this.#store(bot, id, wanted, signal).catch(async (error) => {
      await this.#discard(bot.id, id);
      throw error;
    });
    for (const old of gone) await this.#discard(bot.id, old.id);
    return stored;
  }

  /** Fills a backup record that was begun; the caller deletes the files of those in `gone`. */
  async #store(bot: Bot, id: string, wanted: NewBackup, signal: AbortSignal) {
    const { name, trigger, userId, via, instead = [], alongside } = wanted;
    const { database, records, events, store, homes, backups, work, clock } = this.#deps;
    const settings = writeSettings(bot, await store.encryptedEnvironment(bot.id));
    const bytesMax = packedBytesMax(bot.diskMb);
    const written = await work.run(
      { kind: 'backup', ownerId: bot.ownerId, botId: bot.id, field: 'files', bytesMax, signal },
      (packing) => backups.write(bot.id, id, homes.pack(bot, settings, packing)),
    );
    return database.transaction(async () => {
      const gone: Backup[] = [];
      for (const old of instead) if (await records.beginRemoval(old.id)) gone.push(old);
      const stored = await records.complete(id, written);
      if (!stored) throw fail.botNotFound();
      const event = { message: `Backup "${name}" was made`, detail: { backup_id: id, trigger } };
      await events.add(bot, { type: 'backup.completed', ...event }, { at: clock.now(), userId, via });
      await alongside?.();
      return { stored, gone };
    });
  }

  /** 403 when the bot has its number of backups, or those of its owner take more than the plan. */
  async #checkRoom({ id: botId, ownerId }: Bot, name: string, instead: Backup[]): Promise<void> {
    const { records, accounts } = this.#deps;
    const others = (await records.ofBot(botId)).filter(({ id }) => !instead.some((old) => old.id === id));
    if (others.some((backup) => backup.name === name)) throw fail.backupNameTaken(name);
    if (others.length >= backupsMax) throw fail.backupLimit(others.length, backupsMax);
    const [plan, usedBytes] = [await accounts.findPlanOf(ownerId), await records.bytesOf(ownerId)];
    const limitMb = plan ? planDiskMb(plan) : 0;
    if (usedBytes > limitMb * mebibyte) throw fail.diskLimit(Math.ceil(usedBytes / mebibyte), limitMb);
  }

  /** The file first: a record without a file is found again, a file without a record is not. */
  async #discard(botId: string, backupId: string): Promise<void> {
    await this.#deps.backups.remove(botId, backupId);
    await this.#deps.records.remove(backupId);
  }
}

/** Destroys the stream soon after `isValid` turns false. */
function endUnless(isValid: () => Promise<boolean>, stream: Readable, clock: Clock): Readable {
  const check = async () => {
    // A failing store revokes nothing; the next check decides.
    if (!(await isValid().catch(() => true))) stream.destroy(fail.invalidSignature());
    else if (!stream.destroyed) timer = clock.after(linkCheckMs, check);
  };
  let timer = clock.after(linkCheckMs, check);
  stream.once('close', () => timer.cancel());
  return stream;
}
