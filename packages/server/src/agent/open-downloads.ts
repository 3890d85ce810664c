// Opens the folders of downloads that builds see, with the task that fills them.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { mebibyte } from '../core/domain/quota.ts';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import { DownloadFolders } from './builds/download-folders.ts';
import { NpmRegistry } from './builds/npm-registry.ts';
import { TarballCache } from './builds/tarball-cache.ts';
import { extraAuthorities } from './engine/docker/trusted-authorities.ts';
import type { Projects } from './builds/projects.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Task } from './tasks/driver.ts';
import { fillDownloads } from './tasks/fill-downloads.ts';

interface Deps {
  projects: Projects;
  bots: BotStore;
  clock: Clock;
  logger: Logger;
}

/** No task when nothing is really built. */
export async function openDownloads(
  config: Config,
  deps: Deps,
): Promise<{ downloads: DownloadFolders; fillTask: Task | null }> {
  const directory = join(config.dataDirectory, 'downloads');
  const folders = new DownloadFolders(directory, checkoutPath('images/nodejs/take-downloads.mjs'));
  folders.install();
  if (config.engine === 'fake') return { downloads: folders, fillTask: null };
  const openCache = () =>
    TarballCache.open({
      directory: join(directory, 'nodejs'),
      incoming: join(directory, 'incoming'),
      bytesMax: config.downloadCacheMb * mebibyte,
      registry: new NpmRegistry({ url: config.npmRegistry, authorities: () => extraAuthorities(config.extraCaFile) }),
      clock: deps.clock,
    });
  if (config.downloadCacheMb === 0) {
    // Opening the cache removes existing files.
    await openCache();
    return { downloads: folders, fillTask: null };
  }
  const { logger, bots, projects } = deps;
  const fill = fillDownloads({
    openCache,
    projects,
    bots,
    registry: config.npmRegistry,
    // Runtime images are Debian.
    platform: { os: 'linux', cpu: process.arch, libc: 'glibc' },
    report: (counts) => logger.debug(counts, 'packages fetched for builds'),
  });
  return { downloads: folders, fillTask: fill };
}
