// The part of the composition root that makes and restores backups. Must not be imported by anything but server.ts.
import type { BackupStore } from '../agent/backups/backup-store.ts';
import type { Config } from '../core/config/config.ts';
import type { BotLocks } from '../core/domain/backup.ts';
import type { BotFiles } from '../agent/homes/bot-files.ts';
import type { HomeBackups } from '../agent/homes/home-backups.ts';
import type { HostStorage } from '../core/data-folder/host-storage.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import type { LogStore } from '../core/logs/log-store.ts';
import { loadSigner } from '../core/data-folder/secret-key.ts';
import { BackupsService } from '../agent/services/backups.ts';
import type { BotsService } from '../core/services/bots.ts';
import { RestoresService } from '../agent/services/restores.ts';
import type { AccountStore } from '../core/store/accounts.ts';
import { BackupRecords } from '../core/store/backup-records.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Database } from '../core/store/database.ts';
import type { EventStore } from '../core/store/events.ts';
import { PendingRestores } from '../core/store/pending-restores.ts';

interface Parts {
  database: Database;
  bots: BotsService;
  stores: { accounts: AccountStore; bots: BotStore; events: EventStore };
  backupStore: BackupStore;
  homeBackups: HomeBackups;
  storage: HostStorage;
  files: BotFiles;
  logs: LogStore;
  locks: BotLocks;
  clock: Clock;
  ids: Ids;
  report(error: unknown, backupId: string): void;
}

/** The services around backups; nothing is recovered yet. */
export function composeBackups(config: Config, made: Parts): { backups: BackupsService; restores: RestoresService } {
  const { database, bots, stores, files, logs, locks, clock, ids, report } = made;
  const parts = {
    database,
    bots,
    store: stores.bots,
    records: new BackupRecords(database),
    events: stores.events,
    backups: made.backupStore,
    homes: made.homeBackups,
    storage: made.storage,
    locks,
    clock,
    ids,
  };
  const signer = loadSigner(config.secretKeyFile, 'backup links');
  const backups = new BackupsService({ ...parts, signer, publicUrl: config.publicUrl });
  const restores = new RestoresService({
    ...parts,
    service: backups,
    wishes: new PendingRestores(database),
    accounts: stores.accounts,
    files,
    logs,
    packages: config.packages,
    report,
  });
  return { backups, restores };
}
