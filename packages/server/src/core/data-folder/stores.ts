// The stores over one database: one instance each per process, since they publish changes.
import type { AccessLine } from '../domain/log-line.ts';
import type { Clock } from '../lib/clock.ts';
import type { TextCipher } from '../lib/text-cipher.ts';
import { LineStore } from '../logs/line-store.ts';
import { LogStore } from '../logs/log-store.ts';
import { AccountStore } from '../store/accounts.ts';
import { AppMinutes } from '../store/app-minutes.ts';
import { AppStore } from '../store/apps.ts';
import { BackupRecords } from '../store/backup-records.ts';
import { BotStore } from '../store/bots.ts';
import type { Database } from '../store/database.ts';
import { CertificateStore } from '../store/certificates.ts';
import { DomainStore } from '../store/domains.ts';
import { EventStore } from '../store/events.ts';
import { IdempotencyKeys } from '../store/idempotency-keys.ts';
import { InputStore } from '../store/inputs.ts';
import { accessTables, LineChunks } from '../store/line-chunks.ts';
import { LogChunks } from '../store/log-chunks.ts';
import { ObservationStore } from '../store/observations.ts';
import { PasswordCodes } from '../store/password-codes.ts';
import { PendingRestores } from '../store/pending-restores.ts';
import { RunStore } from '../store/runs.ts';
import { ScheduleStore } from '../store/schedules.ts';
import { SettingStore } from '../store/settings.ts';
import { UsageCache } from '../store/usage-cache.ts';
import { UsageStore } from '../store/usage.ts';

const logMaxAgeDays = 30;
/** Limits of an app's access log. */
const accessLimits = { maxBytes: 64 * 1024 * 1024, maxAgeDays: 30 };

interface Deps {
  cipher: TextCipher;
  clock: Clock;
  logBytesPerBot: number;
}

export function createStores(database: Database, { cipher, clock, logBytesPerBot }: Deps) {
  const bots = new BotStore(database, cipher);
  const logChunks = new LogChunks(database);
  const logLimits = { maxBytes: logBytesPerBot, maxAgeDays: logMaxAgeDays };
  return {
    ...createAccessLog(database, clock),
    accounts: new AccountStore(database),
    apps: new AppStore(database),
    backupRecords: new BackupRecords(database),
    bots,
    certificates: new CertificateStore(database),
    domains: new DomainStore(database),
    events: new EventStore(database),
    idempotencyKeys: new IdempotencyKeys(database),
    inputs: new InputStore(database, cipher),
    logChunks,
    logs: new LogStore({ table: logChunks, database, clock, limits: logLimits }),
    observations: new ObservationStore(database, bots.changed),
    passwordCodes: new PasswordCodes(database),
    pendingRestores: new PendingRestores(database),
    runs: new RunStore(database),
    schedules: new ScheduleStore(database),
    settings: new SettingStore(database),
    usage: new UsageStore(database),
    usageCache: new UsageCache(),
  };
}

/** The access log of apps: their lines, and their metrics per minute. */
export function createAccessLog(database: Database, clock: Clock) {
  const table = new LineChunks(database, accessTables);
  return {
    accessLines: new LineStore<AccessLine>({ table, database, clock, limits: accessLimits }),
    appMinutes: new AppMinutes(database),
  };
}

export type Stores = ReturnType<typeof createStores>;
