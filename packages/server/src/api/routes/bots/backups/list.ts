// GET /bots/:id/backups
import { backupList } from '@botel/contract/backups';
import { botParams } from '@botel/contract/bots';
import { backupsMax } from '../../../../core/domain/backup.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { presentBackup } from '../../../../core/http/present-backup.ts';

export const listBackups = defineRoute({
  method: 'GET',
  url: '/bots/:id/backups',
  summary: "A bot's backups, newest first",
  scope: 'backups.read',
  params: botParams,
  data: backupList,
  async handle({ services, caller, params }) {
    const { bot, views } = await services.backups.list(caller, params.id);
    return { data: { bot_id: bot.id, count: views.length, max: backupsMax, backups: views.map(presentBackup) } };
  },
});
