// POST /backups/restore
import { restoreBackupBody } from '@botel/contract/backups';
import { lifecycle } from '@botel/contract/bots';
import { defineRoute } from '../define-route.ts';

export const restoreBackup = defineRoute({
  method: 'POST',
  url: '/backups/restore',
  summary: "Replace an offline bot's files and settings by those of a backup; answers at once, `phase` is `restoring`",
  scope: 'backups.restore',
  body: restoreBackupBody,
  data: lifecycle,
  async handle({ services, caller, body }) {
    const { backup } = await services.restores.begin(caller, body.backup_id, body.safety_backup);
    return { data: { status: 'offline' as const }, message: `Backup "${backup.name}" is being restored` };
  },
});
