// Composition root: the only file that knows every class. Makes the whole server of a Config, starts and stops it.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { checkoutPath } from './checkout.ts';
import { makeBackupStore } from './compose-backups.ts';
import { composeDownloads } from './compose-downloads.ts';
import type { Config } from './config/config.ts';
import { lockData } from './data-lock.ts';
import type { BackupStore } from './backups/backup-store.ts';
import type { BotClaims } from './domain/backup.ts';
import type { Engine } from './engine/engine.ts';
import { BotFiles } from './files/bot-files.ts';
import { Homes } from './files/homes.ts';
import { Projects } from './files/projects.ts';
import { buildApp } from './http/app.ts';
import { installIdOf, refuseLostDatabase } from './install-id.ts';
import { Claims } from './lib/claims.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { FileLock } from './lib/file-lock.ts';
import { type Ids, systemIds } from './lib/ids.ts';
import { LogCapture } from './logs/log-capture.ts';
import { LogStore } from './logs/log-store.ts';
import { Builder } from './reconciler/builder.ts';
import { ImageDesk } from './reconciler/image-desk.ts';
import { InputDesk } from './reconciler/input-desk.ts';
import { makeEngine, noLimit } from './make-engine.ts';
import { makeServices, makeStores, type Stores } from './make-services.ts';
import { makeTasks } from './make-tasks.ts';
import { type NetworkGuard, noGuard } from './network/firewall.ts';
import { Reconciler } from './reconciler/reconciler.ts';
import { sealerOf } from './secret-key.ts';
import { defaultPlanId } from './services/accounts.ts';
import { OpenStreams } from './services/open-streams.ts';
import type { Services } from './services/services.ts';
import type { AccountStore } from './store/accounts.ts';
import { Database } from './store/database.ts';
import { SettingStore } from './store/settings.ts';
import type { TaskDriver } from './tasks/driver.ts';
import { botelVersion } from './version.ts';

const logMaxAgeDays = 30;

/** Replacements for tests. */
export interface Overrides {
  engine?: Engine;
  /** Of the network of `engine`; without it nobody guards. */
  guard?: NetworkGuard;
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** False: periodic tasks run by `runTask` only. */
  periodicTasks?: boolean;
}

/** Everything that Server.create made, in layers. */
interface Made {
  config: Config;
  logger: Logger;
  lock: FileLock;
  database: Database;
  engine: Engine;
  guard: NetworkGuard;
  capture: LogCapture;
  reconciler: Reconciler;
  inputDesk: InputDesk;
  tasks: TaskDriver;
  periodicTasks: boolean;
  services: Services;
  streams: OpenStreams;
  app: FastifyInstance;
}

export class Server {
  readonly services: Services;
  readonly #made: Made;

  private constructor(made: Made) {
    this.#made = made;
    this.services = made.services;
  }

  /** Opens the data folder and builds all parts; nothing runs yet. Rejects with a plain sentence when it can't. */
  static async create(config: Config, overrides: Overrides = {}): Promise<Server> {
    mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
    const lock = lockData(config.dataDirectory);
    try {
      return new Server(await make(config, lock, overrides));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Starts the reconciler and listens; resolves with the address under which it is reached on this machine. */
  async start(): Promise<string> {
    const { config, app, guard, reconciler, inputDesk, tasks, periodicTasks, services } = this.#made;
    // First: with its port taken nothing may run, or the process would stay and go on without an API.
    await app.listen({ host: config.host, port: config.port });
    // Not waited for: bots wait for it, and the engine may be away.
    void guard.check();
    await reconciler.start();
    await inputDesk.start();
    services.restores.resume();
    if (periodicTasks) tasks.start();
    const { address, port, family } = app.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Ends streams and requests, then the reconciler; bots go on, or are taken down where the settings say so. */
  async stop(): Promise<void> {
    const { config, app, reconciler, inputDesk, tasks, capture, engine, guard, database, lock, services, streams } =
      this.#made;
    await streams.close();
    const schedulesEnd = services.scheduleRunner.close();
    await services.backups.close();
    await schedulesEnd;
    await app.close();
    await tasks.stop();
    await inputDesk.stop();
    if (config.botsOnExit === 'stop') await reconciler.takeDownBots();
    await reconciler.stop();
    await capture.stop();
    await guard.close();
    await engine.close();
    await database.close();
    lock.release();
  }

  /** Runs a periodic task now. For tests. */
  runTask(name: string): Promise<void> {
    return this.#made.tasks.run(name);
  }

  /** Resolves when nothing can be done at this moment. For tests. */
  settle(): Promise<void> {
    return this.#made.reconciler.settle();
  }
}

async function make(config: Config, lock: FileLock, overrides: Overrides): Promise<Made> {
  const clock = overrides.clock ?? systemClock;
  const ids = overrides.ids ?? systemIds;
  const logger = overrides.logger ?? pino({ level: config.logLevel });
  refuseLostDatabase(config.dataDirectory);
  const database = await Database.open(config.dataDirectory);
  const settings = new SettingStore(database);
  const sealer = await sealerOf(config.secretKeyFile, settings);
  const stores = makeStores(database, sealer);
  await stores.accounts.savePlan(defaultPlan(config));
  const installId = await installIdOf(config.dataDirectory, stores.settings, ids);
  const { engine, guard, limit } = overrides.engine
    ? { engine: overrides.engine, guard: overrides.guard ?? noGuard, limit: noLimit }
    : makeEngine(config, { installId, clock, ids, report: (level, ...entry) => logger[level](...entry) });
  const { logs, capture } = makeLogs(config, { stores, database, engine, clock }, logger);
  const claims: BotClaims = new Claims();
  const backupStore = makeBackupStore(config);
  const homes = makeHomes(config, backupStore);
  const files = new BotFiles({ homes });
  for (const error of await files.recover()) logger.error({ err: error }, 'upload not finished');
  const projects = new Projects(homes);
  const [downloads, downloadTasks] = await composeDownloads(config, { projects, bots: stores.bots, clock, logger });
  const reconciler = new Reconciler(
    {
      engine,
      database,
      bots: stores.bots,
      events: stores.events,
      settings: stores.settings,
      logs,
      capture,
      homes,
      claims,
      guard,
      images: new ImageDesk(engine, logs),
      builder: new Builder(projects, config.buildMemoryMb),
      downloads,
      buildLimitMs: config.buildSeconds * 1000,
      clock,
      ids,
      bootId: await bootId(),
    },
    logger,
  );
  const streams = new OpenStreams();
  const services = makeServices(config, {
    database,
    stores,
    logs,
    files,
    homes,
    backupStore,
    claims,
    guard,
    streams,
    clock,
    ids,
    report: (error, id) => logger.error({ err: error, id }, 'restore or schedule failed'),
  });
  await services.backups.recover();
  for (const error of await services.restores.recover()) logger.error({ err: error }, 'restore not finished');
  await services.scheduleRunner.recover();
  await makeFirstAdmin(config, services, stores.accounts);
  const tasks = makeTasks({ logs, engine, guard, limit, files, stores, clock, services }, logger);
  for (const task of downloadTasks) tasks.add(task);
  const app = await buildApp(services, {
    logger,
    checkResponses: config.checkResponses,
    uploadBytes: config.uploadBytes,
    version: botelVersion,
  });
  const { periodicTasks = true } = overrides;
  const inputDesk = new InputDesk({ ...stores, engine, clock, log: logger });
  const running = { reconciler, inputDesk, tasks, periodicTasks, services, streams, app };
  return { config, logger, lock, database, engine, guard, capture, ...running };
}

interface LogParts {
  stores: Stores;
  database: Database;
  engine: Engine;
  clock: Clock;
}

function makeLogs(config: Config, { stores, database, engine, clock }: LogParts, logger: Logger) {
  const table = stores.logChunks;
  const limits = { maxBytes: config.logBytesPerBot, maxAgeDays: logMaxAgeDays };
  const logs = new LogStore({ table, database, clock, limits });
  const capture = new LogCapture({
    store: logs,
    table,
    database,
    clock,
    logFile: (containerId) => engine.logFile(containerId),
    warn: (fields, message) => logger.warn(fields, message),
  });
  return { logs, capture };
}

function makeHomes(config: Config, backups: BackupStore): Homes {
  const homes = new Homes({
    directory: config.dataDirectory,
    launcherSource: checkoutPath('images/base/launch'),
    alsoRemove: (botId) => backups.removeAll(botId),
  });
  homes.install();
  return homes;
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
    networkMbit: null,
  };
}

/** The admin of the settings, unless there are accounts already. */
async function makeFirstAdmin(config: Config, services: Services, accounts: AccountStore): Promise<void> {
  if (!config.adminEmail || (await accounts.listUsers()).length > 0) return;
  await services.accounts.create(config.adminEmail, config.adminPassword, 'admin');
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
