// The part of the composition root that makes the services of apps. Must not be imported by anything but make-services.ts.
import type { AccessParts } from './compose-access.ts';
import type { Config } from './config/config.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import { NameServers } from './lib/name-servers.ts';
import type { AccountsService } from './services/accounts.ts';
import { AppTrafficService } from './services/app-traffic.ts';
import { AppsService } from './services/apps.ts';
import type { BotsService } from './services/bots.ts';
import { DomainsService } from './services/domains.ts';
import type { OpenStreams } from './services/open-streams.ts';
import { ServedNames } from './services/served-names.ts';
import type { AccountStore } from './store/accounts.ts';
import type { AppStore } from './store/apps.ts';
import type { BotStore } from './store/bots.ts';
import type { Database } from './store/database.ts';
import { DomainStore } from './store/domains.ts';
import type { EventStore } from './store/events.ts';

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
    servedNames: new ServedNames({ apps: stores.apps, domains, clock, names }),
  };
}
