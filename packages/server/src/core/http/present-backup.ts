// Converts backups to the JSON of the contract. Pure.
import type { BackupData } from '@botel/contract/backups';
import type { BackupView } from '../services/backup-access.ts';
import { isoTime } from './present.ts';

export function presentBackup({ backup, downloadUrl }: BackupView): BackupData {
  return {
    id: backup.id,
    name: backup.name,
    size_bytes: backup.sizeBytes,
    size_display: displaySize(backup.sizeBytes),
    download_url: downloadUrl,
    created_at: isoTime(backup.createdAt),
    can_delete: !backup.locked,
    locked: backup.locked,
    sha256: backup.sha256,
    trigger: backup.trigger,
  };
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Display size: `512 B`, `1.5 MB`; 1 KB = 1,024 bytes. */
function displaySize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  // A value that would be shown as 1024.0 moves to the next unit.
  for (; size >= 1023.95 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
