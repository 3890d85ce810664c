// Composes the api process: every object once, in order of need.
import type { AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import { shownSettings } from '../core/config/shown-settings.ts';
import { botelVersion } from '../core/config/version.ts';
import type { DataFolder } from '../core/data-folder/data-folder.ts';
import { mebibyte } from '../core/domain/quota.ts';
import { HostStorage } from '../core/data-folder/host-storage.ts';
import { loadSigner } from '../core/data-folder/secret-key.ts';
import { createApp } from '../core/http/app.ts';
import { Connections } from '../core/http/connections.ts';
import { Rates } from '../core/http/rates.ts';
import { SessionCookies } from '../core/http/session-cookies.ts';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import { NameServers } from '../core/lib/name-servers.ts';
import { TrustedProxies } from '../core/lib/trusted-proxies.ts';
import type { AgentClient } from '../core/link/agent-client.ts';
import { Authenticator } from '../core/services/authenticator.ts';
import { BackupAccess } from '../core/services/backup-access.ts';
import { BotsService } from '../core/services/bots.ts';
import { DomainChecker } from '../core/services/domain-checker.ts';
import { IdempotentRequests } from '../core/services/idempotent-requests.ts';
import { TemplateFolder } from '../core/services/template-folder.ts';
import { answerBadUrl } from './http/bad-url.ts';
import { strictTransport } from './http/strict-transport.ts';
import { serveDashboard } from './http/dashboard.ts';
import { type ForwardedRoute, forwardedRoutes } from './http/forwarded-routes.ts';
import { describeApi } from './http/openapi-document.ts';
import { apiRoutes } from './routes/routes.ts';
import { AccountsService } from './services/accounts.ts';
import { AppTrafficService } from './services/app-traffic.ts';
import { AppsService } from './services/apps.ts';
import { BackupListService } from './services/backups.ts';
import { CertificateHosts } from './services/certificate-hosts.ts';
import { DomainsService } from './services/domains.ts';
import { EventsService } from './services/events.ts';
import { InputsService } from './services/inputs.ts';
import { LogsService } from './services/logs.ts';
import { MachineService } from './services/machine.ts';
import { MetricsService } from './services/metrics.ts';
import { OpenStreams } from './services/open-streams.ts';
import { OverviewService } from './services/overview.ts';
import { PasswordCodesService } from './services/password-codes.ts';
import { ReadinessService } from './services/readiness.ts';
import { RunsService } from './services/runs.ts';
import { SchedulesService } from './services/schedules.ts';
import type { Services } from './services/services.ts';
import { SessionsService } from './services/sessions.ts';
import { SuspensionsService } from './services/suspensions.ts';
import { UsageService } from './services/usage.ts';
import { UsersService } from './services/users.ts';

interface Deps {
  data: DataFolder;
  agent: AgentClient;
  /** The routes that the agent answers, as the api serves them. */
  agentRoutes: Record<string, ForwardedRoute>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export interface Api {
  services: Services;
  /** Starts listening; resolves with the address for clients on this machine. */
  open(): Promise<string>;
  /** Ends all streams with a last event. */
  endStreams(): Promise<void>;
  /** Ends all requests. */
  close(): Promise<void>;
}

export async function createApi(config: Config, { data, agent, agentRoutes, clock, ids, logger }: Deps): Promise<Api> {
  const { database, stores } = data;
  const { accounts: accountStore, bots: botStore, apps: appStore, events, settings, usageCache } = stores;
  const { dataDirectory, appsDomain, appsUrl, publicUrl } = config;
  const marks = { warnPercent: config.diskWarnPercent, refusePercent: config.diskRefusePercent };
  const names = { appsDomain, publicHost: publicUrl ? new URL(publicUrl).hostname : null };
  const diskUse = (botId: string) => agent.diskUse(botId);

  const streams = new OpenStreams(config.streamsPerUser);
  const storage = new HostStorage({ dataDirectory, marks, clock });
  const authenticator = new Authenticator({ accounts: accountStore, clock });
  const nameServers = new NameServers(config.dnsServers, clock);
  const bots = new BotsService({
    ...stores,
    database,
    diskUse,
    storage,
    clock,
    ids,
    agent,
    appsUrl,
    stopGraceSeconds: config.stopGraceSeconds,
    packages: config.packages,
  });
  const accounts = new AccountsService({
    database,
    accounts: accountStore,
    authenticator,
    settings,
    clock,
    ids,
    registrationLimitMb: registrationLimitMb(config),
    rateSignIn: config.rateSignIn,
  });
  const apps = new AppsService({
    ...stores,
    store: botStore,
    minutes: stores.appMinutes,
    database,
    bots,
    clock,
    ids,
    appsDomain,
    appsUrl,
  });
  const checker = new DomainChecker({ database, appStore, domains: stores.domains, nameServers, clock, names });
  const access = new BackupAccess({
    bots,
    records: stores.backupRecords,
    authenticator,
    signer: loadSigner(config.secretKeyFile, 'backup links'),
    clock,
    publicUrl,
  });
  const readiness = new ReadinessService({ bots: botStore, settings, agent, storage, dataDirectory });
  const users = new UsersService({
    database,
    store: accountStore,
    accounts,
    authenticator,
    bots: botStore,
    botsService: bots,
    apps: appStore,
    passwordCodes: stores.passwordCodes,
    ids,
  });
  const services: Services = {
    accounts,
    apps,
    appTraffic: new AppTrafficService({
      lines: stores.accessLines,
      minutes: stores.appMinutes,
      apps,
      store: appStore,
      accounts: authenticator,
      streams,
      clock,
    }),
    backups: new BackupListService({ database, bots, access, records: stores.backupRecords }),
    bots,
    certificateHosts: new CertificateHosts({
      database,
      apps: appStore,
      domains: stores.domains,
      certificates: stores.certificates,
      limits: { perOwner: config.certificatesPerOwner, appNames: config.certificatesOfApps },
      clock,
      names,
    }),
    domains: new DomainsService({ database, apps, domains: stores.domains, checker, clock, ids, names }),
    events: new EventsService({ bots, accounts: authenticator, store: botStore, events, usageCache, streams, clock }),
    inputs: new InputsService({ database, bots, inputs: stores.inputs, clock }),
    logs: new LogsService({ bots, accounts: authenticator, store: botStore, logs: stores.logs, streams, clock }),
    machine: new MachineService({
      bots: botStore,
      accounts: accountStore,
      settings,
      readiness,
      agent,
      storage,
      shownSettings: shownSettings(config),
    }),
    metrics: new MetricsService({ bots, store: botStore, usage: stores.usage, events, clock }),
    overview: new OverviewService({ bots: botStore, accounts: accountStore, runs: stores.runs, usageCache, clock }),
    passwordCodes: new PasswordCodesService({
      database,
      store: accountStore,
      codes: stores.passwordCodes,
      authenticator,
      users,
      clock,
    }),
    readiness,
    runs: new RunsService({ bots, runs: stores.runs }),
    schedules: new SchedulesService({ database, bots, schedules: stores.schedules, clock, ids }),
    sessions: new SessionsService({ database, store: accountStore, accounts, authenticator, clock }),
    suspensions: new SuspensionsService({ database, bots: botStore, events, clock }),
    templates: new TemplateFolder(checkoutPath('examples')),
    usage: new UsageService({
      accounts: accountStore,
      bots: botStore,
      apps: appStore,
      backups: stores.backupRecords,
      usedBytes: async (botId) => (await agent.diskUse(botId, { exact: true })).bytes,
    }),
    users,
  };
  if (config.adminEmail && (await accountStore.listUsers()).length === 0)
    await accounts.create(config.adminEmail, config.adminPassword, 'admin');

  const proxies = new TrustedProxies(config.trustedProxies);
  const { rateUser: user, rateLifecycle: lifecycle, rateSignIn: signIn, ratePublic } = config;
  const rates = new Rates({ user, lifecycle, signIn, public: ratePublic }, clock);
  const limits = { most: config.maxConnections, perAddress: config.connectionsPerAddress };
  const connections = new Connections({
    limits,
    proxies,
    stillValid: (caller) => authenticator.stillValid(caller),
    clock,
  });
  const app = await createApp<Services>({
    routes: { ...apiRoutes, ...forwardedRoutes(agentRoutes, agent) },
    services,
    authenticator,
    cookies: new SessionCookies(publicUrl, proxies),
    rates,
    connections,
    proxies,
    logger,
    checkResponses: config.checkResponses,
    uploadBytes: config.uploadBytes,
    idempotentRequests: new IdempotentRequests({ keys: stores.idempotencyKeys, clock }),
    answerBadUrl: (request, reply) => answerBadUrl(apps, request, reply),
    async prepare(scope) {
      strictTransport(scope, publicUrl);
      await describeApi(scope, botelVersion);
      serveDashboard(scope, checkoutPath('packages/web/dist'));
    },
  });

  return {
    services,
    async open() {
      await agent.start();
      await app.listen({ host: config.host, port: config.port });
      const { address, port, family } = app.server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    endStreams: () => streams.close(),
    async close() {
      await app.close();
      await agent.stop();
    },
  };
}

/** 0 while registration is closed. */
function registrationLimitMb({ registration, registrationPercent }: Config): number {
  return registration === 'open' ? ((totalmem() / mebibyte) * registrationPercent) / 100 : 0;
}
