// The Settings tab of a bot: startup, one form for everything else, its app, and deletion.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/calls.ts';
import { botQuery, runtimesQuery, usageQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { showBot } from '../../bots/act.ts';
import { DeleteDialog } from '../../bots/delete-dialog.tsx';
import { changedFields, draftOf, inputOf, type SettingsDraft } from '../../bots/settings-draft.ts';
import { ContainerFields, RestartFields } from '../../bots/settings-fields.tsx';
import { StartupCard } from '../../env/startup-card.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { errorText } from '../../kit/states.tsx';
import { withToast } from '../../kit/toast.tsx';
import { useLeaveGuard } from '../../kit/use-leave-guard.ts';
import { isApiError } from '../../lib/api-error.ts';
import { t } from '../../texts/text.ts';
import { MemoryField } from '../../wizard/memory-field.tsx';

export function SettingsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { data: bot } = useQuery(botQuery(botId));
  if (!bot) return null;
  return (
    <div className="grid max-w-3xl grid-cols-1 gap-4">
      <SettingsForm key={bot.id} bot={bot} />
      <StartupCard key={`${bot.id} startup`} bot={bot} />
      <AppCard bot={bot} />
      <DeleteCard bot={bot} />
    </div>
  );
}

function SettingsForm({ bot }: { bot: BotData }) {
  const [draft, setDraft] = useState(() => draftOf(bot));
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { data: usage } = useQuery(usageQuery);
  const { data: runtimes } = useQuery(runtimesQuery);
  const change = (fields: Partial<SettingsDraft>) => setDraft((old) => ({ ...old, ...fields }));
  const before = draftOf(bot);
  const changed = changedFields(draft, before);
  useLeaveGuard(changed.length > 0, t('env.leave'));
  const isMemory = isApiError(error) && error.code === 'insufficient_memory';
  const isDisk = isApiError(error) && error.code === 'disk_limit';
  const faultOf = (field: string) => {
    if (isDisk && field === 'disk_mb') return errorText(error);
    return isApiError(error) && error.field === field ? errorText(error) : null;
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    await withToast(async () => {
      try {
        const { data } = await call<BotData>('POST', '/bots/update', { bot_id: bot.id, ...inputOf(draft, before) });
        showBot(bot.id, data);
        setDraft(draftOf(data));
        void queryClient.invalidateQueries({ queryKey: usageQuery.queryKey });
      } catch (caught) {
        setError(caught);
        throw caught;
      }
    }, t('settings.saved'));
    setBusy(false);
  };
  const fields = { draft, change, faultOf };
  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={(event) => void save(event)}>
      <Card title={t('settings.title')} lead={bot.status === 'offline' ? undefined : t('settings.next_start')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('new.name')} fault={faultOf('name')}>
            <TextInput required maxLength={64} value={draft.name} onChange={(e) => change({ name: e.target.value })} />
          </Field>
          <MemoryField
            value={draft.memory}
            onChange={(memory) => change({ memory })}
            availableMb={(usage?.memory.available_mb ?? 0) + bot.memory}
            fault={isMemory ? errorText(error) : faultOf('memory')}
          />
        </div>
      </Card>
      <Card title={t('settings.ends')}>
        <RestartFields {...fields} />
      </Card>
      <Card title={t('settings.container')}>
        <ContainerFields {...fields} allowed={runtimes?.packages ?? []} />
      </Card>
      {changed.length > 0 && (
        <section
          aria-label={t('env.bar_label')}
          className="sticky bottom-3 z-10 flex flex-wrap items-center gap-2 rounded-card bg-surface p-3 shadow-float"
        >
          <p role="status" className="me-auto text-sm max-sm:basis-full">
            {t('settings.changed', { count: changed.length })}
          </p>
          <Button onClick={() => setDraft(before)}>{t('env.discard')}</Button>
          <Button type="submit" variant="primary" busy={busy}>
            {t('action.save')}
          </Button>
        </section>
      )}
    </form>
  );
}

function AppCard({ bot: { app } }: { bot: BotData }) {
  return (
    <Card title={t('settings.app')} lead={t(app ? 'settings.app_lead' : 'settings.app_none')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {app && (
          <a
            href={app.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-6 items-center gap-1.5 font-medium text-accent underline"
          >
            {app.url} <ExternalLink className="size-3.5" aria-hidden />
          </a>
        )}
        <Link to="/apps" className="inline-flex min-h-6 items-center font-medium text-accent underline">
          {t(app ? 'settings.app_change' : 'settings.app_make')}
        </Link>
      </div>
    </Card>
  );
}

function DeleteCard({ bot }: { bot: BotData }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t('settings.delete')} lead={t('settings.delete_lead')}>
      <Button variant="danger" onClick={() => setAsking(true)}>
        {t('settings.delete')}
      </Button>
      {isAsking && <DeleteDialog bot={bot} onClose={() => setAsking(false)} />}
    </Card>
  );
}
