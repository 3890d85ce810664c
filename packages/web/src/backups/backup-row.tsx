// One backup: what created it and when, its size and checksum, and its actions.
import type { BackupData, BackupListData } from '@botel/contract/backups';
import { Copy, Download, Lock, LockOpen, RotateCcw, Trash2 } from 'lucide-react';
import { call, read } from '../api/calls.ts';
import { IconButton } from '../kit/button.tsx';
import { Ago } from '../kit/time.tsx';
import { toastSuccess, withToast } from '../kit/toast.tsx';
import { copyText } from '../lib/copy-text.ts';
import { t } from '../texts/text.ts';

interface BackupRowProps {
  botId: string;
  backup: BackupData;
  onAsk: (kind: 'restore' | 'delete') => void;
  onChanged: () => void;
}

const shownDigits = 12;

export function BackupRow({ botId, backup, onAsk, onChanged }: BackupRowProps) {
  const { id, name, locked, trigger, size_display: size, created_at: at, sha256 } = backup;
  const LockIcon = locked ? Lock : LockOpen;
  const lock = async () => {
    await withToast(() => call('POST', '/backups/lock', { backup_id: id, locked: !locked }));
    onChanged();
  };
  const copySum = async () => {
    if (await copyText(sha256)) toastSuccess(t('action.copied'));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5 last:border-0">
      <div className="min-w-40 grow">
        <p className="font-medium">{name}</p>
        <p className="text-sm text-muted">
          {`${t(`backups.trigger.${trigger}`)} · ${size} · `}
          <Ago at={at} />
        </p>
        <p className="flex items-center gap-1 text-sm text-muted">
          <span title={sha256}>
            {t('backups.sum')} <code className="font-mono text-xs">{sha256.slice(0, shownDigits)}</code>
          </span>
          <IconButton
            size="small"
            className="size-6! w-6! touch:size-11!"
            label={t('backups.copy_sum_of', { name })}
            onClick={() => void copySum()}
          >
            <Copy className="size-3.5" aria-hidden />
          </IconButton>
        </p>
      </div>
      <div className="flex">
        <IconButton label={t('backups.restore_of', { name })} onClick={() => onAsk('restore')}>
          <RotateCcw className="size-4" aria-hidden />
        </IconButton>
        <IconButton
          label={t('backups.download_of', { name })}
          onClick={() => void withToast(() => downloadBackup(botId, id))}
        >
          <Download className="size-4" aria-hidden />
        </IconButton>
        <IconButton
          label={t(locked ? 'backups.unlock_of' : 'backups.lock_of', { name })}
          aria-pressed={locked}
          onClick={() => void lock()}
        >
          <LockIcon className="size-4" aria-hidden />
        </IconButton>
        <IconButton
          label={t('backups.delete_of', { name })}
          data-tip-side="end"
          why={locked ? t('backups.locked') : null}
          onClick={() => onAsk('delete')}
        >
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
      </div>
    </li>
  );
}

/** A link is valid for 15 minutes, a page may be open longer: each download gets a new one. */
async function downloadBackup(botId: string, backupId: string): Promise<void> {
  const { backups } = await read<BackupListData>(`/bots/${botId}/backups`);
  const url = backups.find(({ id }) => id === backupId)?.download_url;
  if (url) location.assign(url);
}
