// Opens the data folder for one process (lock, database, key, stores, install id) and closes it.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { defaultPlanId, type Plan } from '../domain/quota.ts';
import type { Clock } from '../lib/clock.ts';
import type { FileLock } from '../lib/file-lock.ts';
import type { Ids } from '../lib/ids.ts';
import { Database } from '../store/database.ts';
import { removeOldCopies } from '../store/database-copies.ts';
import { SettingStore } from '../store/settings.ts';
import { lockData, type ServerRole } from './data-lock.ts';
import { installIdOf, refuseLostDatabase } from './install-id.ts';
import { loadCipher } from './secret-key.ts';
import { shareData } from './share-data.ts';
import { createStores, type Stores } from './stores.ts';

const preparedDeadlineMs = 30_000;
const pollMs = 200;

export interface DataFolder {
  database: Database;
  stores: Stores;
  installId: string;
  /** Closes the database, then releases the lock. */
  close(): Promise<void>;
}

/** Opens the folder for this process alone. Rejects with a plain sentence when it can't. */
export async function openDataFolder(
  config: Config,
  role: ServerRole,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<DataFolder> {
  const isOwner = role !== 'api';
  if (isOwner) mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
  else await untilPrepared(config);
  const lock = lockData(config.dataDirectory, role);
  try {
    refuseLostDatabase(config.dataDirectory);
    if (isOwner) shareData(config);
    const database = await Database.open(config.dataDirectory);
    const cipher = await loadCipher(config.secretKeyFile, new SettingStore(database));
    const stores = createStores(database, { cipher, clock, logBytesPerBot: config.logBytesPerBot });
    const installId = await installIdOf(config.dataDirectory, stores.settings, ids);
    if (isOwner) {
      await stores.accounts.savePlan(defaultPlan(config));
      shareData(config);
      removeOldCopies(join(config.dataDirectory, 'botel.sqlite'), clock.now());
    }
    return { database, stores, installId, close: () => close(config, { isOwner, database, lock }) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function close(
  config: Config,
  { isOwner, database, lock }: { isOwner: boolean; database: Database; lock: FileLock },
): Promise<void> {
  await database.close();
  if (isOwner) shareData(config);
  lock.release();
}

/** Waits until the agent has created or migrated the folder's contents. */
export async function untilPrepared({ dataDirectory }: Config): Promise<void> {
  const giveUpAt = performance.now() + preparedDeadlineMs;
  for (;;) {
    const isThere = existsSync(join(dataDirectory, 'install-id'));
    if (isThere && (await Database.isCurrent(dataDirectory))) return;
    if (performance.now() > giveUpAt)
      throw new Error(`The data folder ${dataDirectory} is not prepared: start the agent (serve --role agent) first`);
    await delay(pollMs);
  }
}

function defaultPlan(config: Config): Plan {
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
