// Asks where to restore a backup: to its bot, which must be offline, or to a new one.
import type { BackupData } from '@botel/contract/backups';
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call, create } from '../api/calls.ts';
import { botsQuery, recentMetricsQuery, usageQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { CheckBox } from '../kit/field.tsx';
import { ErrorCard, errorText } from '../kit/states.tsx';
import { toastSuccess } from '../kit/toast.tsx';
import { isApiError } from '../lib/api-error.ts';
import { t } from '../texts/text.ts';
import { nameFault } from '../wizard/detect.ts';
import { MemoryField } from '../wizard/memory-field.tsx';
import { NameField } from '../wizard/name-field.tsx';

const targets = ['here', 'new'] as const;
type Target = (typeof targets)[number];

export function RestoreDialog({ bot, backup, onClose }: { bot: BotData; backup: BackupData; onClose: () => void }) {
  const isOffline = bot.status === 'offline';
  const [target, setTarget] = useState<Target>(isOffline ? 'here' : 'new');
  const [isSafe, setSafe] = useState(true);
  const [name, setName] = useState(bot.name);
  const [memory, setMemory] = useState(bot.memory);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { data: usage } = useQuery(usageQuery);
  const navigate = useNavigate();
  const isMemoryFault = isApiError(error) && error.code === 'insufficient_memory';
  const fault = nameFault(name);
  const why = target === 'here' && !isOffline ? t('backups.offline_first') : null;
  const restore = async () => {
    if (target === 'here') {
      const body = { backup_id: backup.id, safety_backup: isSafe };
      const { message = '' } = await call('POST', '/backups/restore', body);
      return toastSuccess(message);
    }
    const made = await create<{ id: string }>('/bots/create-from-backup', { backup_id: backup.id, name, memory });
    for (const { queryKey } of [botsQuery, recentMetricsQuery, usageQuery])
      void queryClient.invalidateQueries({ queryKey });
    toastSuccess(made.message ?? '');
    void navigate({ to: '/bots/$botId', params: { botId: made.data.id } });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || why || (target === 'new' && fault)) return;
    setBusy(true);
    setError(null);
    try {
      await restore();
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      isFirm={busy}
      onOpenChange={onClose}
      title={t('backups.restore_title', { name: backup.name })}
      lead={t('backups.restore_lead')}
    >
      <form className="grid grid-cols-1 gap-4" onSubmit={(event) => void submit(event)}>
        <fieldset className="grid gap-1">
          <legend className="sr-only">{t('backups.where')}</legend>
          {targets.map((each) => (
            <label key={each} className="flex min-h-6 items-center gap-2.5 text-sm touch:min-h-11">
              <input
                type="radio"
                name="target"
                className="size-5 accent-accent"
                checked={each === target}
                onChange={() => setTarget(each)}
              />
              {t(`backups.place.${each}`)}
            </label>
          ))}
        </fieldset>
        {target === 'here' ? (
          <CheckBox label={t('backups.safety')} checked={isSafe} onChange={(event) => setSafe(event.target.checked)} />
        ) : (
          <>
            <NameField value={name} onChange={setName} />
            <MemoryField
              value={memory}
              onChange={setMemory}
              availableMb={usage?.memory.available_mb ?? memory}
              fault={isMemoryFault ? errorText(error) : null}
            />
          </>
        )}
        {error !== null && !isMemoryFault && <ErrorCard error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant={target === 'here' ? 'danger' : 'primary'} busy={busy} why={why}>
            {t(target === 'here' ? 'backups.restore' : 'backups.make_bot')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
