// The services that the api's routes may call. Type only: compose.ts creates them.
import type { AccountsService } from './accounts.ts';
import type { AppTrafficService } from './app-traffic.ts';
import type { AppsService } from './apps.ts';
import type { DomainsService } from './domains.ts';
import type { BackupListService } from './backups.ts';
import type { BotsService } from '../../core/services/bots.ts';
import type { EventsService } from './events.ts';
import type { InputsService } from './inputs.ts';
import type { LogsService } from './logs.ts';
import type { MachineService } from './machine.ts';
import type { MetricsService } from './metrics.ts';
import type { OverviewService } from './overview.ts';
import type { PasswordCodesService } from './password-codes.ts';
import type { ReadinessService } from './readiness.ts';
import type { RunsService } from './runs.ts';
import type { CertificateHosts } from './certificate-hosts.ts';
import type { TemplateFolder } from '../../core/services/template-folder.ts';
import type { SchedulesService } from './schedules.ts';
import type { SessionsService } from './sessions.ts';
import type { SuspensionsService } from './suspensions.ts';
import type { UsageService } from './usage.ts';
import type { UsersService } from './users.ts';

export interface Services {
  accounts: AccountsService;
  apps: AppsService;
  appTraffic: AppTrafficService;
  domains: DomainsService;
  certificateHosts: CertificateHosts;
  backups: BackupListService;
  bots: BotsService;
  events: EventsService;
  inputs: InputsService;
  logs: LogsService;
  machine: MachineService;
  metrics: MetricsService;
  overview: OverviewService;
  passwordCodes: PasswordCodesService;
  readiness: ReadinessService;
  runs: RunsService;
  templates: Pick<TemplateFolder, 'list'>;
  schedules: SchedulesService;
  sessions: SessionsService;
  suspensions: SuspensionsService;
  usage: UsageService;
  users: UsersService;
}
