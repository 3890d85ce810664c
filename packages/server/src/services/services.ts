// The set of services that routes may call. Type only: server.ts composes it.
import type { AccountsService } from './accounts.ts';
import type { AppTrafficService } from './app-traffic.ts';
import type { AppsService } from './apps.ts';
import type { DomainsService } from './domains.ts';
import type { BackupsService } from './backups.ts';
import type { BotsService } from './bots.ts';
import type { EventsService } from './events.ts';
import type { FilesService } from './files.ts';
import type { InputsService } from './inputs.ts';
import type { LogsService } from './logs.ts';
import type { MachineService } from './machine.ts';
import type { NumbersService } from './numbers.ts';
import type { ReadinessService } from './readiness.ts';
import type { RestoresService } from './restores.ts';
import type { RunsService } from './runs.ts';
import type { ServedNames } from './served-names.ts';
import type { TemplatesService } from './templates.ts';
import type { ScheduleRunner } from './schedule-runner.ts';
import type { SchedulesService } from './schedules.ts';
import type { SessionsService } from './sessions.ts';
import type { UsageService } from './usage.ts';
import type { UsersService } from './users.ts';

export interface Services {
  accounts: AccountsService;
  apps: AppsService;
  appTraffic: AppTrafficService;
  domains: DomainsService;
  servedNames: ServedNames;
  backups: BackupsService;
  bots: BotsService;
  events: EventsService;
  files: FilesService;
  inputs: InputsService;
  logs: LogsService;
  machine: MachineService;
  numbers: NumbersService;
  readiness: ReadinessService;
  restores: RestoresService;
  runs: RunsService;
  templates: TemplatesService;
  schedules: SchedulesService;
  scheduleRunner: ScheduleRunner;
  sessions: SessionsService;
  usage: UsageService;
  users: UsersService;
}
