// POST /backups/lock
import { backup, lockBackupBody } from '@botel/contract/backups';
import { defineRoute } from '../../http/define-route.ts';
import { presentBackup } from '../../../core/http/present-backup.ts';

export const lockBackup = defineRoute({
  method: 'POST',
  url: '/backups/lock',
  summary: 'Lock a backup against deletion, or unlock it',
  scope: 'backups.write',
  body: lockBackupBody,
  data: backup,
  async handle({ services, caller, body }) {
    const view = await services.backups.setLocked(caller, body.backup_id, body.locked);
    return { data: presentBackup(view), message: `Backup "${view.backup.name}" was updated` };
  },
});
