// POST /bots/:id/backups
import { backup, createBackupBody } from '@botel/contract/backups';
import { botParams } from '@botel/contract/bots';
import { defineRoute } from '../../define-route.ts';
import { presentBackup } from '../../../../core/http/present-backup.ts';

export const createBackup = defineRoute({
  method: 'POST',
  url: '/bots/:id/backups',
  summary: "Store a bot's files and settings as they are now; answers when they are stored",
  scope: 'backups.write',
  params: botParams,
  body: createBackupBody,
  data: backup,
  status: 201,
  async handle({ services, caller, params, body }) {
    const view = await services.backups.create(caller, params.id, body.name);
    return { data: presentBackup(view), message: `Backup "${view.backup.name}" created successfully.` };
  },
});
