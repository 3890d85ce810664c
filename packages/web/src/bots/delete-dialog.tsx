// Deletes a bot: its name has to be typed, and a backup can be downloaded first.
import type { BackupData } from '@botel/contract/backups';
import type { BotData } from '@botel/contract/bots';
import { useNavigate } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { call, create } from '../api/calls.ts';
import { botQuery, botsQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';

export function DeleteDialog({ bot, onClose }: { bot: BotData; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = async () => {
    const body = { bot_id: bot.id, force: true };
    if (!(await withToast(() => call('POST', '/bots/delete', body), t('settings.deleted')))) return;
    queryClient.removeQueries({ queryKey: botQuery(bot.id).queryKey });
    void queryClient.invalidateQueries({ queryKey: botsQuery.queryKey });
    void navigate({ to: '/' });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t('settings.delete_title', { name: bot.name })}
      lead={t('settings.delete_lead')}
      verb={t('action.delete')}
      typed={{ name: bot.name, label: t('settings.delete_type', { name: bot.name }) }}
      onConfirm={remove}
    >
      <BackupFirst bot={bot} />
    </Confirm>
  );
}

/** Deleting a bot deletes its backups: this one is downloaded. */
function BackupFirst({ bot }: { bot: BotData }) {
  const [state, setState] = useState<'asked' | 'making' | 'made'>('asked');
  const make = async () => {
    setState('making');
    const name = `last of ${bot.name.slice(0, 40)} ${crypto.randomUUID().slice(0, 8)}`;
    const isMade = await withToast(async () => {
      const { data } = await create<BackupData>(`/bots/${bot.id}/backups`, { name });
      location.assign(data.download_url);
    }, t('delete.saving'));
    setState(isMade ? 'made' : 'asked');
  };
  return (
    <div>
      <Button icon={<Download className="size-4" aria-hidden />} busy={state === 'making'} onClick={() => void make()}>
        {t(state === 'made' ? 'delete.saved' : 'delete.backup_first')}
      </Button>
    </div>
  );
}
