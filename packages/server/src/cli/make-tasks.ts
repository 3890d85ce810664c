// The part of the composition root that makes the periodic tasks. Must not be imported by anything but server.ts.
import type { Logger } from 'pino';
import type { AccessParts } from './compose-access.ts';
import type { Engine } from '../agent/engine/engine.ts';
import type { BotFiles } from '../agent/homes/bot-files.ts';
import type { HostStorage } from '../core/data-folder/host-storage.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { LogStore } from '../core/logs/log-store.ts';
import type { Stores } from './make-services.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import type { Services } from '../api/services/services.ts';
import type { LogCapture } from '../agent/capture/log-capture.ts';
import type { Database } from '../core/store/database.ts';
import { throttleOutputTask } from '../agent/tasks/throttle-output.ts';
import { checkDomains } from '../agent/tasks/check-domains.ts';
import { collectUsage } from '../agent/tasks/collect-usage.ts';
import { DiskLevels } from '../agent/tasks/disk-levels.ts';
import { TaskDriver } from '../agent/tasks/driver.ts';
import { housekeeping } from '../agent/tasks/housekeeping.ts';
import { keepFirewall } from '../agent/tasks/keep-firewall.ts';
import { type LimitContainer, limitBandwidth } from '../agent/tasks/limit-bandwidth.ts';
import { removeUnusedImages } from '../agent/tasks/remove-unused-images.ts';
import { watchStorage } from '../agent/tasks/watch-storage.ts';
import { runSchedules } from '../agent/tasks/run-schedules.ts';

interface TaskParts {
  logs: LogStore;
  access: AccessParts;
  capture: LogCapture;
  engine: Engine;
  guard: NetworkGuard;
  limit: LimitContainer;
  files: BotFiles;
  storage: HostStorage;
  stores: Stores;
  database: Database;
  unstoppable: Map<string, number>;
  clock: Clock;
  services: Services;
}

/** All periodic tasks; none runs yet. */
export function makeTasks(
  {
    logs,
    access,
    capture,
    engine,
    guard,
    limit,
    files,
    storage,
    stores,
    database,
    unstoppable,
    clock,
    services,
  }: TaskParts,
  logger: Logger,
): TaskDriver {
  const { accounts, apps, bots, settings, usage, usageCache, events } = stores;
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  const levels = new DiskLevels({ bots, events, clock });
  const tasks = new TaskDriver(clock, (error, task) => logger.error({ err: error, task }, 'task failed'));
  for (const task of [
    ...housekeeping({ ...stores, logs, access, clock }),
    ...collectUsage({ engine, files, bots, usage, usageCache, levels, clock }),
    watchStorage({ storage, logs, access, bots, apps, report: (level, text) => logger[level](text) }),
    throttleOutputTask({ engine, capture, logs, database, bots, events, unstoppable, clock, warn }),
    keepFirewall(guard),
    limitBandwidth({ accounts, limit, warn }),
    runSchedules(services.scheduleRunner),
    checkDomains(services.domains),
    removeUnusedImages({ engine, bots, settings, clock }),
  ])
    tasks.add(task);
  return tasks;
}
