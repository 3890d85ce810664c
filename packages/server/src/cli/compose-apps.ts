// The part of the composition root that makes the services of apps. Must not be imported by anything but make-services.ts.
import type { AccessParts } from './compose-access.ts';
import type { Config } from '../core/config/config.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import { NameServers } from '../core/lib/name-servers.ts';
import type { AccountsService } from '../api/services/accounts.ts';
import { AppTrafficService } from '../api/services/app-traffic.ts';
import { AppsService } from '../api/services/apps.ts';
import type { BotsService } from '../core/services/bots.ts';
import { DomainsService } from '../api/services/domains.ts';
import type { OpenStreams } from '../api/services/open-streams.ts';
import { CertificateHosts } from '../api/services/certificate-hosts.ts';
import type { AccountStore } from '../core/store/accounts.ts';
import type { AppStore } from '../core/store/apps.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Database } from '../core/store/database.ts';
import { DomainStore } from '../core/store/domains.ts';
import type { EventStore } from '../core/store/events.ts';

interface Parts {
  database: Database;
  access: AccessParts;
  accounts: AccountsService;
  bots: BotsService;
  streams: OpenStreams;
  stores: { accounts: AccountStore; apps: AppStore; bots: BotStore; events: EventStore };
  clock: Clock;
  ids: Ids;
}

export function composeApps(config: Config, parts: Parts) {
  const { database, access, accounts, bots, streams, stores, clock, ids } = parts;
  const { appsDomain, appsUrl, publicUrl } = config;
  const names = { appsDomain, publicHost: publicUrl ? new URL(publicUrl).hostname : null };
  const domains = new DomainStore(database);
  const apps = new AppsService({
    ...stores,
    store: stores.bots,
    minutes: access.minutes,
    database,
    bots,
    clock,
    ids,
    appsDomain,
    appsUrl,
  });
  const nameServers = new NameServers(config.dnsServers, clock);
  return {
    apps,
    appTraffic: new AppTrafficService({ ...access, apps, store: stores.apps, accounts, streams, clock }),
    domains: new DomainsService({
      database,
      apps,
      appStore: stores.apps,
      domains,
      nameServers,
      clock,
      ids,
      names,
    }),
    certificateHosts: new CertificateHosts({ apps: stores.apps, domains, clock, names }),
  };
}
