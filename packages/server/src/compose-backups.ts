// The part of the composition root that makes and restores backups. Must not be imported by anything but server.ts.
import type { BackupStore } from './backups/backup-store.ts';
import type { Config } from './config/config.ts';
import type { BotClaims } from './domain/backup.ts';
import type { BotFiles } from './files/bot-files.ts';
import type { HomeBackups } from './files/home-backups.ts';
import type { HostStorage } from './files/host-storage.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { LogStore } from './logs/log-store.ts';
import { signerOf } from './secret-key.ts';
import { BackupsService } from './services/backups.ts';
import type { BotsService } from './services/bots.ts';
import { RestoresService } from './services/restores.ts';
import type { AccountStore } from './store/accounts.ts';
import { BackupRecords } from './store/backup-records.ts';
import type { BotStore } from './store/bots.ts';
import type { Database } from './store/database.ts';
import type { EventStore } from './store/events.ts';
import { RestoreWishes } from './store/restore-wishes.ts';

interface Parts {
  database: Database;
  bots: BotsService;
  stores: { accounts: AccountStore; bots: BotStore; events: EventStore };
  backupStore: BackupStore;
  homeBackups: HomeBackups;
  storage: HostStorage;
  files: BotFiles;
  logs: LogStore;
  claims: BotClaims;
  clock: Clock;
  ids: Ids;
  report(error: unknown, backupId: string): void;
}

/** The services around backups; nothing is recovered yet. */
export function composeBackups(config: Config, made: Parts): { backups: BackupsService; restores: RestoresService } {
  const { database, bots, stores, files, logs, claims, clock, ids, report } = made;
  const parts = {
    database,
    bots,
    store: stores.bots,
    records: new BackupRecords(database),
    events: stores.events,
    backups: made.backupStore,
    homes: made.homeBackups,
    storage: made.storage,
    claims,
    clock,
    ids,
  };
  const signer = signerOf(config.secretKeyFile, 'backup links');
  const backups = new BackupsService({ ...parts, signer, publicUrl: config.publicUrl });
  const restores = new RestoresService({
    ...parts,
    service: backups,
    wishes: new RestoreWishes(database),
    accounts: stores.accounts,
    files,
    logs,
    packages: config.packages,
    report,
  });
  return { backups, restores };
}
