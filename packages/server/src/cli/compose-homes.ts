// The part of the composition root that makes what touches the files of bots. Must not be imported by anything but
// server.ts and the files that compose its parts.
import { join } from 'node:path';
import { BackupStore } from '../agent/backups/backup-store.ts';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import type { BotLocks } from '../core/domain/backup.ts';
import type { Engine } from '../agent/engine/engine.ts';
import { BotFiles } from '../agent/homes/bot-files.ts';
import { HomeBackups } from '../agent/homes/home-backups.ts';
import { Homes } from '../agent/homes/homes.ts';
import { HostStorage } from '../core/data-folder/host-storage.ts';
import { tryImages } from '../agent/homes/image-tools.ts';
import { KeyedTryLock } from '../core/lib/keyed-try-lock.ts';
import type { Clock } from '../core/lib/clock.ts';

export interface BotFolders {
  homes: Homes;
  storage: HostStorage;
  files: BotFiles;
  homeBackups: HomeBackups;
  backupStore: BackupStore;
  locks: BotLocks;
}

/** Rejects with a plain sentence where the settings ask for images and this machine has none. */
export async function composeHomes(config: Config, clock: Clock, engine: Pick<Engine, 'info'>): Promise<BotFolders> {
  const backupStore = new BackupStore(join(config.dataDirectory, 'backups'));
  const homes = new Homes({
    directory: config.dataDirectory,
    launcherSource: checkoutPath('images/base/launch'),
    alsoRemove: (botId) => backupStore.removeAll(botId),
    makesImages: await makesImages(config),
  });
  const homeBackups = new HomeBackups(homes, join(config.dataDirectory, 'restoring'));
  const storage = composeStorage(config, clock, async () => (await engine.info()).rootDirectory);
  return { homes, storage, files: new BotFiles({ homes }), homeBackups, backupStore, locks: new KeyedTryLock() };
}

/** For a process without files of bots: its routes that need them are answered by another one. */
export function absentHomes(config: Config, clock: Clock): BotFolders {
  return {
    homes: absent('homes'),
    storage: composeStorage(config, clock),
    files: absent('files'),
    homeBackups: absent('homes'),
    backupStore: absent('backups'),
    locks: new KeyedTryLock(),
  };
}

function composeStorage(config: Config, clock: Clock, engineDirectory?: () => Promise<string>): HostStorage {
  return new HostStorage({
    dataDirectory: config.dataDirectory,
    ...(engineDirectory && { engineDirectory }),
    marks: { warnPercent: config.diskWarnPercent, refusePercent: config.diskRefusePercent },
    clock,
  });
}

function absent<T extends object>(what: string): T {
  const get = (_target: object, name: string | symbol): never => {
    throw new Error(`This process has no ${what}: ${String(name)} is the agent's to call`);
  };
  return new Proxy({}, { get }) as T;
}

async function makesImages({ diskQuota, dataDirectory }: Config): Promise<boolean> {
  if (diskQuota === 'soft') return false;
  const fault = await tryImages(dataDirectory);
  if (fault !== null && diskQuota === 'loop') throw new Error(`BOTEL_DISK_QUOTA is loop, but ${fault}`);
  return fault === null;
}
