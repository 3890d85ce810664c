// The periodic tasks of an agent, except those of its builds.
import type { Logger } from 'pino';
import type { Stores } from '../../core/data-folder/stores.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { Database } from '../../core/store/database.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { LogCapture } from '../capture/log-capture.ts';
import type { Engine } from '../engine/engine.ts';
import type { BotFiles } from '../homes/bot-files.ts';
import type { NetworkGuard } from '../network/firewall.ts';
import { collectUsage } from './collect-usage.ts';
import { DiskLevels } from './disk-levels.ts';
import type { Task } from './driver.ts';
import { housekeeping } from './housekeeping.ts';
import { type LimitContainer, limitBandwidth } from './limit-bandwidth.ts';
import { removeUnusedImages } from './remove-unused-images.ts';
import { throttleOutputTask } from './throttle-output.ts';
import { watchStorage } from './watch-storage.ts';

interface Deps extends Stores {
  engine: Engine;
  guard: NetworkGuard;
  limit: LimitContainer;
  files: BotFiles;
  storage: HostStorage;
  capture: LogCapture;
  unstoppable: Map<string, number>;
  scheduleRunner: { startDue(): Promise<void> };
  domainChecker: { recheck(): Promise<void> };
  database: Database;
  clock: Clock;
  logger: Logger;
}

export function periodicTasks(deps: Deps): Task[] {
  const { storage, logger, guard, scheduleRunner, domainChecker } = deps;
  const access = { lines: deps.accessLines, minutes: deps.appMinutes };
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  return [
    ...housekeeping({ ...deps, access }),
    ...collectUsage({ ...deps, levels: new DiskLevels(deps) }),
    watchStorage({ ...deps, storage, access, report: (level, text) => logger[level](text) }),
    throttleOutputTask({ ...deps, warn }),
    { name: 'keep-firewall', everyMs: 60_000, run: () => guard.check() },
    limitBandwidth({ ...deps, warn }),
    { name: 'run-schedules', everyMs: 5_000, run: () => scheduleRunner.startDue() },
    { name: 'check-domains', everyMs: 600_000, run: () => domainChecker.recheck() },
    removeUnusedImages(deps),
  ];
}
