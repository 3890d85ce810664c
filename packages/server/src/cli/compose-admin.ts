// The part of the composition root that makes what concerns accounts and the machine: sessions, users and plans, readiness, what
// admins see.
import type { Config } from '../core/config/config.ts';
import { shownSettings } from '../core/config/shown-settings.ts';
import { runDoctorInWorker } from './doctor/run-doctor-in-worker.ts';
import type { HostStorage } from '../core/data-folder/host-storage.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import type { AccountsService } from '../api/services/accounts.ts';
import type { BotsService } from '../core/services/bots.ts';
import { CheckupsService } from '../agent/services/checkups.ts';
import { MachineService } from '../api/services/machine.ts';
import { OverviewService } from '../api/services/overview.ts';
import { PasswordCodesService } from '../api/services/password-codes.ts';
import { ReadinessService } from '../api/services/readiness.ts';
import { SessionsService } from '../api/services/sessions.ts';
import { SuspensionsService } from '../api/services/suspensions.ts';
import { UsersService } from '../api/services/users.ts';
import type { AccountStore } from '../core/store/accounts.ts';
import type { AppStore } from '../core/store/apps.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Database } from '../core/store/database.ts';
import type { EventStore } from '../core/store/events.ts';
import type { PasswordCodes } from '../core/store/password-codes.ts';
import type { RunStore } from '../core/store/runs.ts';
import type { SettingStore } from '../core/store/settings.ts';
import type { UsageCache } from '../core/store/usage-cache.ts';

interface Given {
  database: Database;
  stores: {
    accounts: AccountStore;
    apps: AppStore;
    usageCache: UsageCache;
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
  const { apps, usageCache, bots, events, passwordCodes, runs, settings, accounts: store } = given.stores;
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
    checkups: new CheckupsService(() => runDoctorInWorker(config), clock),
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
    overview: new OverviewService({ bots, accounts: store, runs, usageCache, clock }),
  };
}
