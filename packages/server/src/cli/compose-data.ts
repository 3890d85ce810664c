// The part of the composition root that opens the data folder: database, key, stores, log. Must not be imported by
// anything but server.ts and the files that compose its parts.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { type AccessParts, accessParts } from './compose-access.ts';
import type { Config } from '../core/config/config.ts';
import { lockData, type Role } from '../core/data-folder/data-lock.ts';
import { installIdOf, refuseLostDatabase } from '../core/data-folder/install-id.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import type { FileLock } from '../core/lib/file-lock.ts';
import { type Ids, systemIds } from '../core/lib/ids.ts';
import { LogStore } from '../core/logs/log-store.ts';
import { makeStores, type Stores } from './make-services.ts';
import { loadCipher } from '../core/data-folder/secret-key.ts';
import { defaultPlanId } from '../api/services/accounts.ts';
import { shareData } from '../core/data-folder/share-data.ts';
import { Database } from '../core/store/database.ts';
import { SettingStore } from '../core/store/settings.ts';

const logMaxAgeDays = 30;
const preparedDeadlineMs = 30_000;
const lookMs = 200;

/** What every part of a process stands on. */
export interface Data {
  role: Role;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  lock: FileLock;
  database: Database;
  stores: Stores;
  logs: LogStore;
  access: AccessParts;
  installId: string;
}

interface Given {
  role: Role;
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
}

/** Opens the folder for this process alone. Rejects with a plain sentence when it can't. */
export async function openData(config: Config, given: Given): Promise<Data> {
  const { role, clock = systemClock, ids = systemIds, logger = pino({ level: config.logLevel }) } = given;
  if (role === 'api') await untilPrepared(config);
  else mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
  const lock = lockData(config.dataDirectory, role);
  try {
    refuseLostDatabase(config.dataDirectory);
    if (role !== 'api') shareData(config);
    const database = await Database.open(config.dataDirectory);
    const cipher = await loadCipher(config.secretKeyFile, new SettingStore(database));
    const stores = makeStores(database, cipher);
    const installId = await installIdOf(config.dataDirectory, stores.settings, ids);
    if (role !== 'api') {
      await stores.accounts.savePlan(defaultPlan(config));
      shareData(config);
    }
    const limits = { maxBytes: config.logBytesPerBot, maxAgeDays: logMaxAgeDays };
    const logs = new LogStore({ table: stores.logChunks, database, clock, limits });
    const access = accessParts(database, clock);
    return { role, clock, ids, logger, lock, database, stores, logs, access, installId };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The other end of `openData`. */
export async function closeData(config: Config, { role, database, lock }: Data): Promise<void> {
  await database.close();
  if (role !== 'api') shareData(config);
  lock.release();
}

/** The agent makes and migrates what is in the folder; at a first start and after an upgrade the others wait for it. */
export async function untilPrepared({ dataDirectory }: Config): Promise<void> {
  const giveUpAt = performance.now() + preparedDeadlineMs;
  for (;;) {
    const isThere = existsSync(join(dataDirectory, 'install-id'));
    if (isThere && (await Database.isCurrent(dataDirectory))) return;
    if (performance.now() > giveUpAt)
      throw new Error(`The data folder ${dataDirectory} is not prepared: start the agent (serve --role agent) first`);
    await delay(lookMs);
  }
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
