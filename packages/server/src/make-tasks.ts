// The part of the composition root that makes the periodic tasks. Must not be imported by anything but server.ts.
import type { Logger } from 'pino';
import type { AccessParts } from './compose-access.ts';
import type { Engine } from './engine/engine.ts';
import type { BotFiles } from './files/bot-files.ts';
import type { HostStorage } from './files/host-storage.ts';
import type { Clock } from './lib/clock.ts';
import type { LogStore } from './logs/log-store.ts';
import type { Stores } from './make-services.ts';
import type { NetworkGuard } from './network/firewall.ts';
import type { Services } from './services/services.ts';
import type { LogCapture } from './logs/log-capture.ts';
import type { Database } from './store/database.ts';
import type { FloodBook } from './store/flood-book.ts';
import { brakeFloods } from './tasks/brake-floods.ts';
import { checkDomains } from './tasks/check-domains.ts';
import { collectUsage } from './tasks/collect-usage.ts';
import { DiskLevels } from './tasks/disk-levels.ts';
import { TaskDriver } from './tasks/driver.ts';
import { housekeeping } from './tasks/housekeeping.ts';
import { keepFirewall } from './tasks/keep-firewall.ts';
import { type LimitContainer, limitBandwidth } from './tasks/limit-bandwidth.ts';
import { removeUnusedImages } from './tasks/remove-unused-images.ts';
import { watchStorage } from './tasks/watch-storage.ts';
import { runSchedules } from './tasks/run-schedules.ts';

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
  floods: FloodBook;
  clock: Clock;
  services: Services;
}

/** All periodic tasks; none runs yet. */
export function makeTasks(
  { logs, access, capture, engine, guard, limit, files, storage, stores, database, floods, clock, services }: TaskParts,
  logger: Logger,
): TaskDriver {
  const { accounts, apps, bots, passwordCodes, settings, usage, book, events } = stores;
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  const levels = new DiskLevels({ bots, events, clock });
  const tasks = new TaskDriver(clock, (error, task) => logger.error({ err: error, task }, 'task failed'));
  for (const task of [
    ...housekeeping({ logs, access, apps, bots, accounts, passwordCodes, usage, events, clock }),
    ...collectUsage({ engine, files, bots, usage, book, levels, clock }),
    watchStorage({ storage, logs, access, bots, apps, report: (level, text) => logger[level](text) }),
    brakeFloods({ engine, capture, logs, database, bots, events, floods, clock, warn }),
    keepFirewall(guard),
    limitBandwidth({ accounts, limit, warn }),
    runSchedules(services.scheduleRunner),
    checkDomains(services.domains),
    removeUnusedImages({ engine, bots, settings, clock }),
  ])
    tasks.add(task);
  return tasks;
}
