// The part of the composition root that makes stores and services. Must not be imported by anything but server.ts.
import type { BackupStore } from '../agent/backups/backup-store.ts';
import { checkoutPath } from '../core/lib/checkout.ts';
import { composeAdmin } from './compose-admin.ts';
import { composeApps } from './compose-apps.ts';
import { composeBackups } from './compose-backups.ts';
import { composeSchedules } from './compose-schedules.ts';
import type { AccessParts } from './compose-access.ts';
import type { Config } from '../core/config/config.ts';
import type { Role } from '../core/data-folder/data-lock.ts';
import type { BotLocks } from '../core/domain/backup.ts';
import type { DiskUse } from '../core/domain/quota.ts';
import type { BotFiles } from '../agent/homes/bot-files.ts';
import type { HomeBackups } from '../agent/homes/home-backups.ts';
import type { HostStorage } from '../core/data-folder/host-storage.ts';
import { IdempotentRequests } from '../core/services/idempotent-requests.ts';
import { TemplateFolder } from '../core/services/template-folder.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import type { TextCipher } from '../core/lib/text-cipher.ts';
import type { LogStore } from '../core/logs/log-store.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import { AccountsService } from '../api/services/accounts.ts';
import { BotsService } from '../core/services/bots.ts';
import { EventsService } from '../api/services/events.ts';
import { FilesService } from '../agent/services/files.ts';
import { InputsService } from '../api/services/inputs.ts';
import { LogsService } from '../api/services/logs.ts';
import { MetricsService } from '../api/services/metrics.ts';
import type { OpenStreams } from '../api/services/open-streams.ts';
import type { Services } from '../api/services/services.ts';
import { RunsService } from '../api/services/runs.ts';
import { TemplatesService } from '../api/services/templates.ts';
import { UsageService } from '../api/services/usage.ts';
import { AccountStore } from '../core/store/accounts.ts';
import { AppStore } from '../core/store/apps.ts';
import { BotStore } from '../core/store/bots.ts';
import type { Database } from '../core/store/database.ts';
import { EventStore } from '../core/store/events.ts';
import { ObservationStore } from '../core/store/observations.ts';
import { RunStore } from '../core/store/runs.ts';
import { IdempotencyKeys } from '../core/store/idempotency-keys.ts';
import { InputStore } from '../core/store/inputs.ts';
import { LogChunks } from '../core/store/log-chunks.ts';
import { PasswordCodes } from '../core/store/password-codes.ts';
import { ScheduleStore } from '../core/store/schedules.ts';
import { SettingStore } from '../core/store/settings.ts';
import { UsageCache } from '../core/store/usage-cache.ts';
import { UsageStore } from '../core/store/usage.ts';

/** One object per group of tables. */
export function makeStores(database: Database, cipher: TextCipher) {
  const bots = new BotStore(database, cipher);
  return {
    accounts: new AccountStore(database),
    passwordCodes: new PasswordCodes(database),
    apps: new AppStore(database),
    bots,
    observations: new ObservationStore(database, bots.changed),
    inputs: new InputStore(database, cipher),
    settings: new SettingStore(database),
    logChunks: new LogChunks(database),
    usage: new UsageStore(database),
    events: new EventStore(database),
    runs: new RunStore(database),
    usageCache: new UsageCache(),
    idempotencyKeys: new IdempotencyKeys(database),
    schedules: new ScheduleStore(database),
  };
}

export type Stores = ReturnType<typeof makeStores>;

/** What a bot has on the disk: counted now, or a little old where that is dear. */
interface DiskCounts {
  now(botId: string): Promise<DiskUse>;
  lately(botId: string): Promise<DiskUse>;
}

interface ServiceParts {
  role: Role;
  database: Database;
  stores: Stores;
  logs: LogStore;
  access: AccessParts;
  files: BotFiles;
  storage: HostStorage;
  homeBackups: HomeBackups;
  backupStore: BackupStore;
  locks: BotLocks;
  guard: Pick<NetworkGuard, 'lastFault'>;
  /** Whether the half that makes wishes true is there. */
  agent: { readonly answers: boolean };
  diskUse: DiskCounts;
  streams: OpenStreams;
  /** Told of faults in work that nobody waits for; `id` is what it was about. */
  report(error: unknown, id: string): void;
  clock: Clock;
  ids: Ids;
}

/** Everything that routes may call. */
export function makeServices(config: Config, parts: ServiceParts): Services {
  const { database, stores, logs, files, storage, locks, agent, diskUse, streams, clock, ids } = parts;
  const { accounts, apps, bots, settings, usage, usageCache, events } = stores;
  const botsService = new BotsService({
    database,
    bots,
    runs: stores.runs,
    accounts,
    apps,
    settings,
    usageCache,
    files: { used: (botId) => diskUse.lately(botId) },
    storage,
    events,
    clock,
    ids,
    locks,
    agent,
    appsUrl: config.appsUrl,
    stopGraceSeconds: config.stopGraceSeconds,
    packages: config.packages,
  });
  const accountsService = new AccountsService({
    database,
    accounts,
    settings,
    clock,
    ids,
    registration: config.registration,
    rateSignIn: config.rateSignIn,
  });
  const filesService = new FilesService({
    bots: botsService,
    store: bots,
    accounts,
    files,
    usageCache,
    storage,
    locks,
    clock,
    uploadBytes: config.uploadBytes,
  });
  const backups = composeBackups(config, { ...parts, bots: botsService });
  return {
    accounts: accountsService,
    ...backups,
    ...composeAdmin(config, { ...parts, accounts: accountsService, bots: botsService }),
    ...composeSchedules({ ...parts, bots: botsService, backups: backups.backups }),
    ...composeApps(config, { ...parts, accounts: accountsService, bots: botsService }),
    bots: botsService,
    events: new EventsService({
      bots: botsService,
      accounts: accountsService,
      store: bots,
      events,
      usageCache,
      streams,
      clock,
    }),
    files: filesService,
    idempotentRequests: new IdempotentRequests({ keys: stores.idempotencyKeys, clock }),
    inputs: new InputsService({ database, bots: botsService, inputs: stores.inputs, clock }),
    logs: new LogsService({ bots: botsService, accounts: accountsService, store: bots, logs, streams, clock }),
    numbers: new MetricsService({ bots: botsService, store: bots, usage, events, clock }),
    runs: new RunsService({ bots: botsService, runs: stores.runs }),
    templates: new TemplatesService({
      bots: botsService,
      files: filesService,
      folder: new TemplateFolder(checkoutPath('examples')),
    }),
    usage: new UsageService({ accounts, bots, apps, usedBytes: async (botId) => (await diskUse.now(botId)).bytes }),
  };
}
