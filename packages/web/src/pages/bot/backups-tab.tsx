// The Backups tab of a bot: its backups and schedules.
import type { BackupData, BackupListData } from '@botel/contract/backups';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Archive, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { call, read } from '../../api/calls.ts';
import { botQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { BackupRow } from '../../backups/backup-row.tsx';
import { NewBackup } from '../../backups/new-backup.tsx';
import { RestoreDialog } from '../../backups/restore-dialog.tsx';
import { ScheduleCard } from '../../bots/schedule-card.tsx';
import { Card } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Meter } from '../../kit/meter.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { withToast } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';

type Asked = { kind: 'restore' | 'delete'; backup: BackupData };

export function BackupsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const queryKey = ['backups', botId];
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read<BackupListData>(`/bots/${botId}/backups`, signal),
  });
  const { data: bot } = useQuery(botQuery(botId));
  const [asked, setAsked] = useState<Asked | null>(null);
  const reload = () => void queryClient.invalidateQueries({ queryKey });
  const again = () => void refetch();
  const isFull = data !== undefined && data.count >= data.max;
  return (
    <div className="grid grid-cols-1 gap-4">
      {bot?.phase === 'restoring' && (
        <p role="status" className="flex items-center gap-3 rounded-card bg-info-soft p-3">
          <LoaderCircle className="size-5 shrink-0 animate-spin text-info" aria-hidden />
          {t('backups.restoring')}
        </p>
      )}
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
        {bot && <NewBackup bot={bot} why={isFull ? t('backups.full') : null} onMade={reload} />}
        {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={again} />}
        {!data && !error && <Skeleton rows={3} />}
        {data?.backups.length === 0 && <Empty icon={<Archive />} title={t('backups.empty')} />}
        <ul className="mt-2">
          {data?.backups.map((backup) => (
            <BackupRow
              key={backup.id}
              botId={botId}
              backup={backup}
              onAsk={(kind) => setAsked({ kind, backup })}
              onChanged={reload}
            />
          ))}
        </ul>
      </Card>
      <ScheduleCard botId={botId} />
      {bot && asked?.kind === 'restore' && (
        <RestoreDialog bot={bot} backup={asked.backup} onClose={() => setAsked(null)} />
      )}
      {asked?.kind === 'delete' && (
        <Confirm
          open
          onClose={() => setAsked(null)}
          title={t('backups.delete_title', { name: asked.backup.name })}
          lead={t('backups.delete_lead')}
          verb={t('action.delete')}
          onConfirm={async () => {
            await withToast(
              () => call('POST', '/backups/delete', { backup_id: asked.backup.id }),
              t('backups.deleted'),
            );
            reload();
          }}
        />
      )}
    </div>
  );
}
