// The routes that the api answers itself. Their keys are the operationIds in the API description.
import type { RouteTable } from '../../core/http/app.ts';
import type { Services } from '../services/services.ts';
import { checkApp } from './apps/check.ts';
import { createApp } from './apps/create.ts';
import { deleteApp } from './apps/delete.ts';
import { listDomains } from './apps/domains.ts';
import { listApps } from './apps/list.ts';
import { readAppLogs } from './apps/logs.ts';
import { downloadAppLogs } from './apps/logs-download.ts';
import { streamAppLogs } from './apps/logs-stream.ts';
import { readAppMetrics } from './apps/metrics.ts';
import { readApp } from './apps/read.ts';
import { updateApp } from './apps/update.ts';
import { login } from './auth/login.ts';
import { logout } from './auth/logout.ts';
import { me } from './auth/me.ts';
import { redeemOneTime } from './auth/one-time.ts';
import { register } from './auth/register.ts';
import { lockBackup } from './backups/lock.ts';
import { listBackups } from './bots/backups/list.ts';
import { createBot } from './bots/create.ts';
import { deleteBot } from './bots/delete.ts';
import { readEnvironment } from './bots/env/read.ts';
import { replaceEnvironment } from './bots/env/replace.ts';
import { setEnvironment } from './bots/env/set.ts';
import { listBotEvents } from './bots/events.ts';
import { writeInput } from './bots/input.ts';
import { killBot } from './bots/kill.ts';
import { listBots } from './bots/list.ts';
import { readLogs } from './bots/logs.ts';
import { downloadLogs } from './bots/logs-download.ts';
import { streamLogs } from './bots/logs-stream.ts';
import { readMetrics } from './bots/metrics.ts';
import { readAllMetrics } from './bots/metrics-all.ts';
import { readBot } from './bots/read.ts';
import { reinstallBot } from './bots/reinstall.ts';
import { restartBot } from './bots/restart.ts';
import { listRuns } from './bots/runs.ts';
import { createSchedule } from './bots/schedules/create.ts';
import { listSchedules } from './bots/schedules/list.ts';
import { startBot } from './bots/start.ts';
import { readStats } from './bots/stats.ts';
import { stopBot } from './bots/stop.ts';
import { updateBot } from './bots/update.ts';
import { waitForBot } from './bots/wait.ts';
import { createDomain } from './domains/create.ts';
import { deleteDomain } from './domains/delete.ts';
import { verifyDomain } from './domains/verify.ts';
import { listEvents } from './events/list.ts';
import { streamEvents } from './events/stream.ts';
import { health } from './health.ts';
import { tlsAsk } from './internal/tls-ask.ts';
import { openapi } from './openapi.ts';
import { ready } from './ready.ts';
import { runtimes } from './runtimes.ts';
import { deleteSchedule } from './schedules/delete.ts';
import { runSchedule } from './schedules/run.ts';
import { listScheduleRuns } from './schedules/runs.ts';
import { updateSchedule } from './schedules/update.ts';
import { setup } from './setup.ts';
import { listTemplates } from './templates.ts';
import { usage } from './usage.ts';
import { listSessions } from './auth/sessions/list.ts';
import { revokeSessions } from './auth/sessions/revoke.ts';
import { changePassword } from './auth/password.ts';
import { listUsers } from './admin/users/list.ts';
import { createUser } from './admin/users/create.ts';
import { updateUser } from './admin/users/update.ts';
import { suspendUser } from './admin/users/suspend.ts';
import { listPlans } from './admin/plans/list.ts';
import { savePlan } from './admin/plans/save.ts';
import { deletePlan } from './admin/plans/delete.ts';
import { listAllBots } from './admin/bots/list.ts';
import { suspendBot } from './admin/bots/suspend.ts';
import { readOverview } from './admin/overview.ts';
import { deleteUser } from './admin/users/delete.ts';
import { resetUser } from './admin/users/reset.ts';
import { resetPassword } from './auth/reset.ts';
import { readHealth } from './admin/health.ts';
import { listSettings } from './admin/settings.ts';
import { version } from './version.ts';

export const apiRoutes = {
  createBot,
  startBot,
  restartBot,
  stopBot,
  killBot,
  deleteBot,
  updateBot,
  reinstallBot,
  writeInput,
  listBots,
  readBot,
  waitForBot,
  readEnvironment,
  replaceEnvironment,
  setEnvironment,
  readLogs,
  downloadLogs,
  streamLogs,
  readStats,
  readMetrics,
  readAllMetrics,
  listBotEvents,
  listRuns,
  listEvents,
  streamEvents,
  listBackups,
  lockBackup,
  listSchedules,
  createSchedule,
  updateSchedule,
  runSchedule,
  deleteSchedule,
  listScheduleRuns,
  checkApp,
  createApp,
  readAppLogs,
  streamAppLogs,
  downloadAppLogs,
  readAppMetrics,
  listApps,
  readApp,
  updateApp,
  deleteApp,
  listDomains,
  createDomain,
  verifyDomain,
  deleteDomain,
  setup,
  register,
  login,
  redeemOneTime,
  logout,
  me,
  listSessions,
  revokeSessions,
  changePassword,
  resetPassword,
  usage,
  listUsers,
  createUser,
  updateUser,
  suspendUser,
  resetUser,
  deleteUser,
  listPlans,
  savePlan,
  deletePlan,
  listAllBots,
  suspendBot,
  readOverview,
  readHealth,
  listSettings,
  health,
  ready,
  version,
  runtimes,
  listTemplates,
  openapi,
  tlsAsk,
} satisfies RouteTable<Services>;
