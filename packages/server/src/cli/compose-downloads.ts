// The part of the composition root that keeps downloads for builds. Must not be imported by anything but server.ts.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import { DownloadFolders } from '../agent/builds/download-folders.ts';
import { NpmRegistry } from '../agent/builds/npm-registry.ts';
import { TarballCache } from '../agent/builds/tarball-cache.ts';
import { extraAuthorities } from '../agent/engine/docker/trusted-authorities.ts';
import type { Projects } from '../agent/builds/projects.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Task } from '../agent/tasks/driver.ts';
import { fillDownloads } from '../agent/tasks/fill-downloads.ts';

const mebibyte = 1024 * 1024;

interface Parts {
  projects: Projects;
  bots: BotStore;
  clock: Clock;
  logger: Logger;
}

/** The folders that builds see, and what fills them: nothing where nothing is really built. */
export async function composeDownloads(config: Config, parts: Parts): Promise<[DownloadFolders, Task[]]> {
  const directory = join(config.dataDirectory, 'downloads');
  const folders = new DownloadFolders(directory, checkoutPath('images/nodejs/take-downloads.mjs'));
  folders.install();
  if (config.engine === 'fake') return [folders, []];
  const openCache = () =>
    TarballCache.open({
      directory: join(directory, 'nodejs'),
      incoming: join(directory, 'incoming'),
      bytesMax: config.downloadCacheMb * mebibyte,
      registry: new NpmRegistry({ url: config.npmRegistry, authorities: () => extraAuthorities(config.extraCaFile) }),
      clock: parts.clock,
    });
  if (config.downloadCacheMb === 0) {
    // Removes what is there.
    await openCache();
    return [folders, []];
  }
  const { logger, bots, projects } = parts;
  const fill = fillDownloads({
    openCache,
    projects,
    bots,
    registry: config.npmRegistry,
    // Runtime images are Debian.
    platform: { os: 'linux', cpu: process.arch, libc: 'glibc' },
    tell: (counts) => logger.debug(counts, 'packages fetched for builds'),
  });
  return [folders, [fill]];
}
