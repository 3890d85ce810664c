// POST /backups/delete
import { backup, backupIdBody } from '@botel/contract/backups';
import { defineRoute } from '../define-route.ts';
import { presentBackup } from '../../../core/http/present-backup.ts';

export const deleteBackup = defineRoute({
  method: 'POST',
  url: '/backups/delete',
  summary: 'Delete a backup that is not locked',
  scope: 'backups.write',
  body: backupIdBody,
  data: backup,
  async handle({ services, caller, body }) {
    const view = await services.backups.delete(caller, body.backup_id);
    return { data: presentBackup(view), message: `Backup "${view.backup.name}" was deleted` };
  },
});
