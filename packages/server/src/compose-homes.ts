// The part of the composition root that makes what touches the files of bots. Must not be imported by anything but
// server.ts and the files that compose its parts.
import type { BackupStore } from './backups/backup-store.ts';
import { checkoutPath } from './checkout.ts';
import { makeBackupStore } from './compose-backups.ts';
import type { Config } from './config/config.ts';
import type { BotClaims } from './domain/backup.ts';
import type { Engine } from './engine/engine.ts';
import { BotFiles } from './files/bot-files.ts';
import { Homes } from './files/homes.ts';
import { HostStorage } from './files/host-storage.ts';
import { tryImages } from './files/image-tools.ts';
import { Claims } from './lib/claims.ts';
import type { Clock } from './lib/clock.ts';

export interface BotFolders {
  homes: Homes;
  storage: HostStorage;
  files: BotFiles;
  backupStore: BackupStore;
  claims: BotClaims;
}

/** Rejects with a plain sentence where the settings ask for images and this machine has none. */
export async function composeHomes(config: Config, clock: Clock, engine: Pick<Engine, 'info'>): Promise<BotFolders> {
  const backupStore = makeBackupStore(config);
  const homes = new Homes({
    directory: config.dataDirectory,
    launcherSource: checkoutPath('images/base/launch'),
    alsoRemove: (botId) => backupStore.removeAll(botId),
    makesImages: await makesImages(config),
  });
  const storage = new HostStorage({
    dataDirectory: config.dataDirectory,
    engineDirectory: async () => (await engine.info()).rootDirectory,
    marks: { warnPercent: config.diskWarnPercent, refusePercent: config.diskRefusePercent },
    clock,
  });
  return { homes, storage, files: new BotFiles({ homes }), backupStore, claims: new Claims() };
}

async function makesImages({ diskQuota, dataDirectory }: Config): Promise<boolean> {
  if (diskQuota === 'soft') return false;
  const fault = await tryImages(dataDirectory);
  if (fault !== null && diskQuota === 'loop') throw new Error(`BOTEL_DISK_QUOTA is loop, but ${fault}`);
  return fault === null;
}
