// The route table: every endpoint, in the order of the API description. A route's name here is its operationId there.
import type { Route } from '../../core/http/define-route.ts';
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
import { deleteBackup } from '../../agent/routes/backups/delete.ts';
import { downloadBackup } from '../../agent/routes/backups/download.ts';
import { lockBackup } from './backups/lock.ts';
import { restoreBackup } from '../../agent/routes/backups/restore.ts';
import { createBackup } from '../../agent/routes/bots/backups/create.ts';
import { listBackups } from './bots/backups/list.ts';
import { createBot } from './bots/create.ts';
import { createBotFromBackup } from '../../agent/routes/bots/create-from-backup.ts';
import { deleteBot } from './bots/delete.ts';
import { readEnvironment } from './bots/env/read.ts';
import { replaceEnvironment } from './bots/env/replace.ts';
import { setEnvironment } from './bots/env/set.ts';
import { listBotEvents } from './bots/events.ts';
import { readFileContent } from '../../agent/routes/bots/files/content-read.ts';
import { compressFiles } from '../../agent/routes/bots/files/compress.ts';
import { writeFileContent } from '../../agent/routes/bots/files/content-write.ts';
import { copyFile } from '../../agent/routes/bots/files/copy.ts';
import { deleteFiles } from '../../agent/routes/bots/files/delete.ts';
import { downloadFiles } from '../../agent/routes/bots/files/download.ts';
import { extractFiles } from '../../agent/routes/bots/files/extract.ts';
import { listFiles } from '../../agent/routes/bots/files/list.ts';
import { makeFolder } from '../../agent/routes/bots/files/mkdir.ts';
import { moveFile } from '../../agent/routes/bots/files/move.ts';
import { applyTemplate } from '../../agent/routes/bots/files/template.ts';
import { uploadFiles } from '../../agent/routes/bots/files/upload.ts';
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
import { readCheckup } from '../../agent/routes/admin/doctor.ts';
import { listAllBots } from './admin/bots/list.ts';
import { suspendBot } from './admin/bots/suspend.ts';
import { readOverview } from './admin/overview.ts';
import { deleteUser } from './admin/users/delete.ts';
import { resetUser } from './admin/users/reset.ts';
import { resetPassword } from './auth/reset.ts';
import { readHealth } from './admin/health.ts';
import { listSettings } from './admin/settings.ts';
import { version } from './version.ts';

const table = {
  createBot,
  createBotFromBackup,
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
  listFiles,
  readFileContent,
  writeFileContent,
  downloadFiles,
  uploadFiles,
  deleteFiles,
  makeFolder,
  moveFile,
  copyFile,
  compressFiles,
  extractFiles,
  applyTemplate,
  listBackups,
  createBackup,
  deleteBackup,
  lockBackup,
  restoreBackup,
  downloadBackup,
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
  readCheckup,
  listSettings,
  health,
  ready,
  version,
  runtimes,
  listTemplates,
  openapi,
  tlsAsk,
} satisfies Record<string, Route>;

export const routes: readonly (Route & { operationId: string })[] = Object.entries(table).map(
  ([operationId, route]) => ({
    operationId,
    ...route,
  }),
);
