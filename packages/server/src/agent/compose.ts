// The agent process: creates each of its parts once, in the order of need.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { fail } from '../core/domain/errors.ts';
import type { Config } from '../core/config/config.ts';
import type { DataFolder } from '../core/data-folder/data-folder.ts';
import { HostStorage } from '../core/data-folder/host-storage.ts';
import { loadSigner } from '../core/data-folder/secret-key.ts';
import { createApp } from '../core/http/app.ts';
import { SessionCookies } from '../core/http/session-cookies.ts';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Clock } from '../core/lib/clock.ts';
import { probeHttp } from '../core/lib/http-probe.ts';
import type { Ids } from '../core/lib/ids.ts';
import { KeyedTryLock } from '../core/lib/keyed-try-lock.ts';
import { NameServers } from '../core/lib/name-servers.ts';
import { TrustedProxies } from '../core/lib/trusted-proxies.ts';
import { settledWithin } from '../core/lib/settled-within.ts';
import type { AgentClient } from '../core/link/agent-client.ts';
import { Authenticator } from '../core/services/authenticator.ts';
import { BackupAccess } from '../core/services/backup-access.ts';
import { BotsService } from '../core/services/bots.ts';
import { DomainChecker } from '../core/services/domain-checker.ts';
import { IdempotentRequests } from '../core/services/idempotent-requests.ts';
import { TemplateFolder } from '../core/services/template-folder.ts';
import { AgentSocketServer } from './agent-socket-server.ts';
import { BackupStore } from './backups/backup-store.ts';
import { Builder } from './builds/builder.ts';
import { openDownloads } from './open-downloads.ts';
import { Projects } from './builds/projects.ts';
import { LogCapture } from './capture/log-capture.ts';
import { DirectAgentClient } from './direct-agent-client.ts';
import type { Engine } from './engine/engine.ts';
import { agentLinkEndpoint } from './link-endpoint.ts';
import { BotFiles } from './homes/bot-files.ts';
import { HomeBackups } from './homes/home-backups.ts';
import { Homes } from './homes/homes.ts';
import { canMakeImages } from './homes/image-tools.ts';
import { connectMachine, noLimit } from './machine.ts';
import { type NetworkGuard, noGuard } from './network/firewall.ts';
import { DiskQuotaCheck } from './reconciler/disk-quota-check.ts';
import { HealthChecker } from './reconciler/health-checker.ts';
import { ImagePreparer } from './reconciler/image-preparer.ts';
import { Reconciler } from './reconciler/reconciler.ts';
import { StdinDispatcher } from './reconciler/stdin-dispatcher.ts';
import { agentRoutes } from './routes/routes.ts';
import type { AgentServices } from './services/agent-services.ts';
import { BackupsService } from './services/backups.ts';
import { CheckupsService, type Examine } from './services/checkups.ts';
import { FilesService } from './services/files.ts';
import { RestoresService } from './services/restores.ts';
import { ScheduleRunner } from './services/schedule-runner.ts';
import { ScheduledActions } from './services/scheduled-actions.ts';
import { TemplatesService } from './services/templates.ts';
import { TaskDriver } from './tasks/driver.ts';
import { periodicTasks } from './tasks/periodic-tasks.ts';
import { OwnerWork } from './work/owner-work.ts';

interface Deps {
  data: DataFolder;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Replaces the engine of the settings and the guard of its network; for tests. */
  engine?: Engine | undefined;
  guard?: NetworkGuard | undefined;
  /** False: periodic tasks run by `runTask` only. */
  periodicTasks: boolean;
  /** Runs the doctor's checks of the machine. */
  examine: Examine;
}

export interface Agent {
  services: AgentServices;
  scheduleRunner: ScheduleRunner;
  domainChecker: DomainChecker;
  /** Client for an api in the same process. */
  client: AgentClient;
  /** Serves an api in another process. */
  listenOnSocket(): AgentSocketServer;
  start(): Promise<void>;
  /** Aborts the work that requests and schedules have begun; resolves when it has ended. */
  endRequests(): Promise<void>;
  /** Bots keep running, or are stopped where the settings say so. */
  stop(): Promise<void>;
  /** Runs a periodic task now. For tests. */
  runTask(name: string): Promise<void>;
  /** Resolves when no work is left at the moment. For tests. */
  settle(): Promise<void>;
}

/** Finishes what an earlier process left behind; starts nothing yet. */
export async function createAgent(config: Config, deps: Deps): Promise<Agent> {
  const { data, clock, ids, logger, examine } = deps;
  const { database, stores, installId } = data;
  const { bots: botStore, accounts, events, usageCache, logs, schedules } = stores;
  const { dataDirectory, appsUrl, publicUrl, packages } = config;
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  const report = (error: unknown, id: string) => logger.error({ err: error, id }, 'restore or schedule failed');

  // The machine: engine, network, files.
  const { engine, guard, limit } = deps.engine
    ? { engine: deps.engine, guard: deps.guard ?? noGuard, limit: noLimit }
    : connectMachine(config, { installId, clock, ids, report: (level, ...entry) => logger[level](...entry) });
  const locks = new KeyedTryLock<'backup' | 'restoring'>();
  const backupStore = new BackupStore(join(dataDirectory, 'backups'));
  const homes = new Homes({
    directory: dataDirectory,
    launcherSource: checkoutPath('images/base/launch'),
    alsoRemove: (botId) => backupStore.removeAll(botId),
    makesImages: await canMakeImages(config.diskQuota, dataDirectory),
  });
  const work = new OwnerWork({
    clock,
    async refusal({ botId, ownerId }, { needsCaller }) {
      if (!(await botStore.find(botId))) return fail.botNotFound();
      const isSuspended = needsCaller && (await accounts.findUser({ id: ownerId }))?.suspended;
      return isSuspended ? fail.accountSuspended() : null;
    },
  });
  const files = new BotFiles({ homes, work });
  const homeBackups = new HomeBackups(homes, join(dataDirectory, 'restoring'));
  const storage = new HostStorage({
    dataDirectory,
    engineDirectory: async () => (await engine.info()).rootDirectory,
    marks: { warnPercent: config.diskWarnPercent, refusePercent: config.diskRefusePercent },
    clock,
  });
  const diskUse: AgentClient['diskUse'] = (botId, { exact } = { exact: false }) =>
    exact ? homes.used(botId) : files.used(botId, { counted: true });
  const workOn = (botId: string) => locks.holder(botId);

  // Services for files and backups.
  const base = { ...stores, database, storage, clock, ids };
  const stopGraceSeconds = config.stopGraceSeconds;
  const agent = { answers: () => true, workOn };
  const bots = new BotsService({ ...base, diskUse, agent, appsUrl, stopGraceSeconds, packages });
  const { backupRecords: records } = stores;
  const signer = loadSigner(config.secretKeyFile, 'backup links');
  const authenticator = new Authenticator({ accounts, clock });
  const access = new BackupAccess({ bots, records, authenticator, signer, clock, publicUrl });
  const backupDeps = {
    ...base,
    bots,
    access,
    store: botStore,
    records,
    backups: backupStore,
    homes: homeBackups,
    locks,
    work,
  };
  const backups = new BackupsService(backupDeps);
  const restores = new RestoresService({ ...backupDeps, service: backups, files, packages, report });
  const { uploadBytes, checkResponses } = config;
  const fileService = new FilesService({ ...base, bots, store: botStore, files, locks, uploadBytes });
  const folder = new TemplateFolder(checkoutPath('examples'));
  const templates = new TemplatesService({ bots, files: fileService, folder });
  const checkups = new CheckupsService(examine, clock);
  const services: AgentServices = { backups, restores, files: fileService, templates, checkups };
  const actions = new ScheduledActions({ bots, backups, store: botStore, records, locks });
  const scheduleRunner = new ScheduleRunner({ database, schedules, bots: botStore, events, actions, clock, report });

  // Reconciliation of the desired state.
  const projects = new Projects(homes);
  const { downloads, fillTask } = await openDownloads(config, { projects, bots: botStore, clock, logger });
  const logFile = (containerId: string) => engine.logFile(containerId);
  const capture = new LogCapture({ store: logs, table: stores.logChunks, database, clock, logFile, warn });
  const unstoppable = new Map<string, number>();
  const reconciler = new Reconciler(
    {
      ...base,
      engine,
      capture,
      homes,
      work,
      locks,
      guard,
      unstoppable,
      downloads,
      images: new ImagePreparer(engine, logs),
      health: new HealthChecker({ probe: probeHttp, clock, appsDomain: config.appsDomain }),
      disks: new DiskQuotaCheck({ usageCache, files, clock }),
      builder: new Builder(projects, config.buildMemoryMb),
      buildLimitMs: config.buildSeconds * 1000,
      bootId: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    },
    logger,
  );
  const stdinDispatcher = new StdinDispatcher({ ...stores, engine, clock, log: logger });
  const nameServers = new NameServers(config.dnsServers, clock);
  const names = { appsDomain: config.appsDomain, publicHost: publicUrl ? new URL(publicUrl).hostname : null };
  const domainChecker = new DomainChecker({ ...base, appStore: stores.apps, nameServers, names });
  const tasks = new TaskDriver(clock, (error, task) => logger.error({ err: error, task }, 'task failed'));
  const machine = { engine, guard, limit, homes, files, storage, capture, unstoppable, scheduleRunner, domainChecker };
  for (const task of periodicTasks({ ...stores, ...machine, database, clock, logger })) tasks.add(task);
  if (fillTask) tasks.add(fillTask);

  // Recovery from an earlier process.
  homes.install();
  for (const error of await homes.recover()) logger.error({ err: error }, 'home not mounted');
  for (const error of await files.recover()) logger.error({ err: error }, 'upload not finished');
  await backups.recover();
  for (const error of await restores.recover()) logger.error({ err: error }, 'restore not finished');
  await scheduleRunner.recover();

  // Routes and clients.
  const proxies = new TrustedProxies(config.trustedProxies);
  const app = await createApp<AgentServices>({
    routes: agentRoutes,
    services,
    authenticator,
    cookies: new SessionCookies(publicUrl, proxies),
    rates: null,
    connections: null,
    proxies,
    logger,
    checkResponses,
    uploadBytes,
    idempotentRequests: new IdempotentRequests({ keys: stores.idempotencyKeys, clock }),
  });
  const currentState = () => ({
    firewallFault: guard.lastFault,
    tasks: tasks.statuses(),
    oldestWaitMs: reconciler.oldestWaitMs,
  });
  const startDueSchedules = () => void scheduleRunner.startDue().catch((error) => report(error, ''));
  const unsubscribe = schedules.asked.onAny(startDueSchedules);

  return {
    services,
    scheduleRunner,
    domainChecker,
    client: new DirectAgentClient({ app, currentState, workOn, diskUse }),
    listenOnSocket: () =>
      new AgentSocketServer({
        app,
        endpoint: agentLinkEndpoint({ stores, logger, currentState }),
        path: config.agentSocket,
        group: config.apiGroup,
        dataVersion: () => database.dataVersion(),
        diskUse,
        noteDisk: (botId, use) => usageCache.noteDisk(botId, use, clock.now()),
      }),
    async start() {
      // Not awaited: bots wait for it, and the engine may be unreachable.
      void guard.check();
      await reconciler.start();
      await stdinDispatcher.start();
      restores.resume();
      if (deps.periodicTasks) tasks.start();
    },
    async endRequests() {
      unsubscribe();
      const schedulesEnd = scheduleRunner.close();
      const backupsEnd = backups.close();
      await work.close();
      await backupsEnd;
      await schedulesEnd;
    },
    async stop() {
      // Both are resumed by the next start.
      await settledWithin(clock, 3_000, Promise.all([tasks.stop(), stdinDispatcher.stop()]));
      if (config.botsOnExit === 'stop') await reconciler.takeDownBots();
      await reconciler.stop();
      await capture.stop();
      for (const error of await homes.leave(new Set(await stores.observations.running())))
        warn({ err: error }, 'home stays mounted');
      await guard.close();
      await engine.close();
    },
    runTask: (name) => tasks.run(name),
    settle: () => reconciler.settle(),
  };
}
