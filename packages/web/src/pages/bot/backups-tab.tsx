// The tab "backups" of a bot: what is kept of it, and what makes backups by itself.
import type { BackupData, BackupListData } from '@botel/contract/backups';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Archive, Download, Lock, LockOpen, RotateCcw, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call, create, read } from '../../api/calls.ts';
import { botQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { ScheduleCard } from '../../bots/schedule-card.tsx';
import { Button, IconButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { CheckBox, TextInput } from '../../kit/field.tsx';
import { Meter } from '../../kit/meter.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { told } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';

type Asked = { kind: 'restore' | 'delete'; backup: BackupData };

export function BackupsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const queryKey = ['backups', botId];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read<BackupListData>(`/bots/${botId}/backups`, signal),
  });
  const { data: bot } = useQuery(botQuery(botId));
  const [asked, setAsked] = useState<Asked | null>(null);
  const reload = () => void queryClient.invalidateQueries({ queryKey });
  return (
    <div className="grid grid-cols-1 gap-4">
      <Card
        title={t('backups.title')}
        lead={t('backups.lead')}
        actions={
          data && (
            <div className="w-44">
              <Meter
                label={t('backups.kept')}
                used={data.count}
                limit={data.max}
                text={t('bots.of', { used: data.count, limit: data.max })}
              />
            </div>
          )
        }
      >
        <NewBackup botId={botId} onMade={reload} />
        {error && <ErrorCard error={error} retry={() => void refetch()} />}
        {!data && !error && <Skeleton rows={3} />}
        {data?.backups.length === 0 && <Empty icon={<Archive />} title={t('backups.empty')} />}
        <ul className="mt-2">
          {data?.backups.map((backup) => (
            <BackupRow
              key={backup.id}
              backup={backup}
              restoreWhy={bot?.status === 'offline' ? null : t('backups.offline_first')}
              onAsk={(kind) => setAsked({ kind, backup })}
              onChanged={reload}
            />
          ))}
        </ul>
      </Card>
      <ScheduleCard botId={botId} />
      {asked?.kind === 'restore' && <RestoreDialog backup={asked.backup} onClose={() => setAsked(null)} />}
      {asked?.kind === 'delete' && (
        <Confirm
          open
          onClose={() => setAsked(null)}
          title={t('backups.delete_title', { name: asked.backup.name })}
          lead={t('backups.delete_lead')}
          verb={t('action.delete')}
          onConfirm={async () => {
            await told(() => call('POST', '/backups/delete', { backup_id: asked.backup.id }), t('backups.deleted'));
            reload();
          }}
        />
      )}
    </div>
  );
}

function NewBackup({ botId, onMade }: { botId: string; onMade: () => void }) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const isMade = await told(() => create(`/bots/${botId}/backups`, { name }));
    setBusy(false);
    if (isMade) setName('');
    onMade();
  };
  return (
    <form className="flex flex-wrap gap-2" onSubmit={(event) => void make(event)}>
      <div className="min-w-40 grow sm:max-w-xs">
        <TextInput
          aria-label={t('backups.name')}
          placeholder={t('backups.name')}
          required
          minLength={2}
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button type="submit" look="primary" className="h-10" busy={busy}>
        {t('backups.make')}
      </Button>
    </form>
  );
}

interface BackupRowProps {
  backup: BackupData;
  restoreWhy: string | null;
  onAsk: (kind: Asked['kind']) => void;
  onChanged: () => void;
}

function BackupRow({ backup, restoreWhy, onAsk, onChanged }: BackupRowProps) {
  const { id, name, locked, trigger, size_display: size, created_at: at, download_url: url } = backup;
  const LockIcon = locked ? Lock : LockOpen;
  const lock = async () => {
    await told(() => call('POST', '/backups/lock', { backup_id: id, locked: !locked }));
    onChanged();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5 last:border-0">
      <div className="min-w-40 grow">
        <p className="font-medium">{name}</p>
        <p className="text-sm text-muted">
          {`${t(`backups.trigger.${trigger}`)} · ${size} · `}
          <Ago at={at} />
        </p>
      </div>
      <div className="flex">
        <IconButton label={t('backups.restore_of', { name })} why={restoreWhy} onClick={() => onAsk('restore')}>
          <RotateCcw className="size-4" aria-hidden />
        </IconButton>
        <a
          href={url}
          download
          aria-label={t('backups.download_of', { name })}
          data-tip={t('backups.download_of', { name })}
          className="inline-flex size-9 items-center justify-center rounded-lg hover:bg-sunken touch:size-11"
        >
          <Download className="size-4" aria-hidden />
        </a>
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

function RestoreDialog({ backup, onClose }: { backup: BackupData; onClose: () => void }) {
  const [isSafe, setSafe] = useState(true);
  return (
    <Confirm
      open
      onClose={onClose}
      title={t('backups.restore_title', { name: backup.name })}
      lead={t('backups.restore_lead')}
      verb={t('backups.restore')}
      onConfirm={() => told(() => call('POST', '/backups/restore', { backup_id: backup.id, safety_backup: isSafe }))}
    >
      <CheckBox label={t('backups.safety')} checked={isSafe} onChange={(event) => setSafe(event.target.checked)} />
    </Confirm>
  );
}
