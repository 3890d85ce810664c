// The part of the composition root that makes what concerns accounts and the machine: sessions, users and plans, readiness, what
// admins see.
import type { Config } from './config/config.ts';
import { shownSettings } from './config/shown-settings.ts';
import { examineApart } from './doctor/examine-apart.ts';
import type { HostStorage } from './files/host-storage.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { NetworkGuard } from './network/firewall.ts';
import type { AccountsService } from './services/accounts.ts';
import type { BotsService } from './services/bots.ts';
import { CheckupsService } from './services/checkups.ts';
import { MachineService } from './services/machine.ts';
import { OverviewService } from './services/overview.ts';
import { PasswordCodesService } from './services/password-codes.ts';
import { ReadinessService } from './services/readiness.ts';
import { SessionsService } from './services/sessions.ts';
import { SuspensionsService } from './services/suspensions.ts';
import { UsersService } from './services/users.ts';
import type { AccountStore } from './store/accounts.ts';
import type { AppStore } from './store/apps.ts';
import type { BotStore } from './store/bots.ts';
import type { Database } from './store/database.ts';
import type { EventStore } from './store/events.ts';
import type { PasswordCodes } from './store/password-codes.ts';
import type { RunStore } from './store/runs.ts';
import type { SettingStore } from './store/settings.ts';
import type { UsageBook } from './store/usage-book.ts';

interface Given {
  database: Database;
  stores: {
    accounts: AccountStore;
    apps: AppStore;
    book: UsageBook;
    bots: BotStore;
    events: EventStore;
    passwordCodes: PasswordCodes;
    runs: RunStore;
    settings: SettingStore;
  };
  accounts: AccountsService;
  bots: BotsService;
  storage: HostStorage;
  guard: Pick<NetworkGuard, 'lastFault'>;
  agent: { readonly answers: boolean };
  clock: Clock;
  ids: Ids;
}

export function composeAdmin(config: Config, given: Given) {
  const { database, accounts, storage, guard, agent, clock, ids } = given;
  const { apps, book, bots, events, passwordCodes, runs, settings, accounts: store } = given.stores;
  const { dataDirectory } = config;
  const readiness = new ReadinessService({ bots, settings, guard, agent, storage, dataDirectory });
  const users = new UsersService({
    database,
    store,
    accounts,
    bots,
    botsService: given.bots,
    apps,
    passwordCodes,
    ids,
  });
  return {
    readiness,
    checkups: new CheckupsService(() => examineApart(config), clock),
    machine: new MachineService({
      bots,
      accounts: store,
      settings,
      readiness,
      dataDirectory,
      shownSettings: shownSettings(config),
    }),
    sessions: new SessionsService({ database, store, accounts, clock }),
    users,
    passwordCodes: new PasswordCodesService({ database, store, codes: passwordCodes, accounts, users, clock }),
    suspensions: new SuspensionsService({ database, bots, events, clock }),
    overview: new OverviewService({ bots, accounts: store, runs, book, clock }),
  };
}
