// The set of services that routes may call. Type only: server.ts composes it.
import type { AccountsService } from './accounts.ts';
import type { AppsService } from './apps.ts';
import type { BotsService } from './bots.ts';
import type { FilesService } from './files.ts';
import type { LogsService } from './logs.ts';
import type { ReadinessService } from './readiness.ts';
import type { UsageService } from './usage.ts';

export interface Services {
  accounts: AccountsService;
  apps: AppsService;
  bots: BotsService;
  files: FilesService;
  logs: LogsService;
  readiness: ReadinessService;
  usage: UsageService;
}
