// The part of the composition root that opens the data folder: database, key, stores, log. Must not be imported by
// anything but server.ts and the files that compose its parts.
import { mkdirSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Config } from './config/config.ts';
import { lockData } from './data-lock.ts';
import { installIdOf, refuseLostDatabase } from './install-id.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { FileLock } from './lib/file-lock.ts';
import { type Ids, systemIds } from './lib/ids.ts';
import { LogStore } from './logs/log-store.ts';
import { makeStores, type Stores } from './make-services.ts';
import { sealerOf } from './secret-key.ts';
import { defaultPlanId } from './services/accounts.ts';
import { Database } from './store/database.ts';
import { SettingStore } from './store/settings.ts';

const logMaxAgeDays = 30;

/** What every part of a process stands on. */
export interface Data {
  clock: Clock;
  ids: Ids;
  logger: Logger;
  lock: FileLock;
  database: Database;
  stores: Stores;
  logs: LogStore;
  installId: string;
}

/** Opens the folder for this process alone. Rejects with a plain sentence when it can't. */
export async function openData(
  config: Config,
  given: { clock?: Clock; ids?: Ids; logger?: Logger } = {},
): Promise<Data> {
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
  const lock = lockData(config.dataDirectory);
  try {
    const { clock = systemClock, ids = systemIds, logger = pino({ level: config.logLevel }) } = given;
    refuseLostDatabase(config.dataDirectory);
    const database = await Database.open(config.dataDirectory);
    const sealer = await sealerOf(config.secretKeyFile, new SettingStore(database));
    const stores = makeStores(database, sealer);
    await stores.accounts.savePlan(defaultPlan(config));
    const installId = await installIdOf(config.dataDirectory, stores.settings, ids);
    const limits = { maxBytes: config.logBytesPerBot, maxAgeDays: logMaxAgeDays };
    const logs = new LogStore({ table: stores.logChunks, database, clock, limits });
    return { clock, ids, logger, lock, database, stores, logs, installId };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The other end of `openData`. */
export async function closeData({ database, lock }: Data): Promise<void> {
  await database.close();
  lock.release();
}

function defaultPlan(config: Config) {
  return {
    id: defaultPlanId,
    name: 'Default',
    memoryMb: config.planMemoryMb,
    bots: config.planBots,
    diskMb: 10_240,
    apps: 10,
    uploadMb: Math.floor(config.uploadBytes / 1024 / 1024),
    internet: true,
    containerRuntime: null,
    networkMbit: null,
  };
}
