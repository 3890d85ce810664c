// The part of the composition root that acts on this machine: engine, reconciler, capture of logs, delivery of input,
// periodic tasks, and what an earlier process left unfinished. Must not be imported by anything but server.ts.
import { readFile } from 'node:fs/promises';
import type { Data } from './compose-data.ts';
import { composeDownloads } from './compose-downloads.ts';
import type { BotFolders } from './compose-homes.ts';
import type { Config } from '../core/config/config.ts';
import { Projects } from '../agent/builds/projects.ts';
import { probeHttp } from '../core/lib/http-probe.ts';
import { LogCapture } from '../agent/capture/log-capture.ts';
import type { MadeEngine } from './make-engine.ts';
import { makeTasks } from './make-tasks.ts';
import { Builder } from '../agent/builds/builder.ts';
import { DiskQuotaCheck } from '../agent/reconciler/disk-quota-check.ts';
import { HealthChecker } from '../agent/reconciler/health-checker.ts';
import { ImagePreparer } from '../agent/reconciler/image-preparer.ts';
import { StdinDispatcher } from '../agent/reconciler/stdin-dispatcher.ts';
import { Reconciler } from '../agent/reconciler/reconciler.ts';
import type { Services } from '../api/services/services.ts';
import type { TaskDriver } from '../agent/tasks/driver.ts';

interface Parts {
  data: Data;
  folders: BotFolders;
  made: MadeEngine;
  services: Services;
  /** False: periodic tasks run by `tasks.run` only. */
  periodicTasks: boolean;
}

interface Running {
  reconciler: Reconciler;
  capture: LogCapture;
  stdinDispatcher: StdinDispatcher;
  tasks: TaskDriver;
}

/** The half that makes wishes true. */
export class Agent {
  readonly #config: Config;
  readonly #parts: Parts;
  readonly #running: Running;

  private constructor(config: Config, parts: Parts, running: Running) {
    this.#config = config;
    this.#parts = parts;
    this.#running = running;
  }

  /** Finishes what an earlier process left behind; nothing runs yet. */
  static async create(config: Config, parts: Parts): Promise<Agent> {
    const { data, folders, services } = parts;
    folders.homes.install();
    for (const error of await folders.homes.recover()) data.logger.error({ err: error }, 'home not mounted');
    for (const error of await folders.files.recover()) data.logger.error({ err: error }, 'upload not finished');
    const running = await composeRunning(config, parts);
    await services.backups.recover();
    for (const error of await services.restores.recover()) data.logger.error({ err: error }, 'restore not finished');
    await services.scheduleRunner.recover();
    return new Agent(config, parts, running);
  }

  async start(): Promise<void> {
    const { made, services, periodicTasks } = this.#parts;
    const { reconciler, stdinDispatcher, tasks } = this.#running;
    // Not waited for: bots wait for it, and the engine may be away.
    void made.guard.check();
    await reconciler.start();
    await stdinDispatcher.start();
    services.restores.resume();
    if (periodicTasks) tasks.start();
  }

  /** Bots go on, or are taken down where the settings say so. Close services first. */
  async stop(): Promise<void> {
    const { engine, guard } = this.#parts.made;
    const { reconciler, stdinDispatcher, tasks, capture } = this.#running;
    await tasks.stop();
    await stdinDispatcher.stop();
    if (this.#config.botsOnExit === 'stop') await reconciler.takeDownBots();
    await reconciler.stop();
    await capture.stop();
    const { data, folders } = this.#parts;
    const goOn = new Set(await data.stores.observations.running());
    for (const error of await folders.homes.leave(goOn)) data.logger.warn({ err: error }, 'home stays mounted');
    await guard.close();
    await engine.close();
  }

  /** Runs a periodic task now. For tests. */
  runTask(name: string): Promise<void> {
    return this.#running.tasks.run(name);
  }

  /** Resolves when nothing can be done at this moment. For tests. */
  settle(): Promise<void> {
    return this.#running.reconciler.settle();
  }
}

async function composeRunning(config: Config, { data, folders, made, services }: Parts): Promise<Running> {
  const { clock, ids, logger, database, stores, logs, access } = data;
  const { homes, files, storage, locks } = folders;
  const { engine, guard, limit } = made;
  const projects = new Projects(homes);
  const [downloads, downloadTasks] = await composeDownloads(config, { projects, bots: stores.bots, clock, logger });
  const capture = new LogCapture({
    store: logs,
    table: stores.logChunks,
    database,
    clock,
    logFile: (containerId) => engine.logFile(containerId),
    warn: (fields, message) => logger.warn(fields, message),
  });
  const unstoppable = new Map<string, number>();
  const reconciler = new Reconciler(
    {
      engine,
      database,
      bots: stores.bots,
      observations: stores.observations,
      runs: stores.runs,
      events: stores.events,
      settings: stores.settings,
      logs,
      capture,
      homes,
      locks,
      guard,
      images: new ImagePreparer(engine, logs),
      health: new HealthChecker({ probe: probeHttp, clock, appsDomain: config.appsDomain }),
      unstoppable,
      disks: new DiskQuotaCheck({ usageCache: stores.usageCache, files, clock }),
      storage,
      builder: new Builder(projects, config.buildMemoryMb),
      downloads,
      buildLimitMs: config.buildSeconds * 1000,
      clock,
      ids,
      bootId: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    },
    logger,
  );
  const stdinDispatcher = new StdinDispatcher({ ...stores, engine, clock, log: logger });
  const tasks = makeTasks(
    { logs, access, capture, engine, guard, limit, files, storage, stores, database, unstoppable, clock, services },
    logger,
  );
  for (const task of downloadTasks) tasks.add(task);
  return { reconciler, capture, stdinDispatcher, tasks };
}
