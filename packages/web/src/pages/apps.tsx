// The user's apps: bots with public web addresses.
import type { AppData, AppListData } from '@botel/contract/apps';
import { useQuery } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call, create, read } from '../api/calls.ts';
import { botsQuery, usageQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { AppFields, type AppFieldValues } from '../apps/app-fields.tsx';
import { AppRow } from '../apps/app-row.tsx';
import { SubdomainField } from '../apps/subdomain-field.tsx';
import { Button } from '../kit/button.tsx';
import { Card, PageHead } from '../kit/card.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Field, Select } from '../kit/field.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { Empty, ErrorCard, Skeleton } from '../kit/states.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';

const queryKey = ['apps'];

function reload(): void {
  for (const key of [queryKey, botsQuery.queryKey, usageQuery.queryKey, ['name']])
    void queryClient.invalidateQueries({ queryKey: key });
}

export function AppsPage() {
  usePageTitle(t('nav.apps'));
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read<AppListData>('/apps?limit=100', signal),
  });
  const { data: list } = useQuery(botsQuery);
  const [asked, setAsked] = useState<AppData | null>(null);
  const nameOf = (botId: string) => list?.bots.find(({ id }) => id === botId)?.name ?? botId;
  const free = (list?.bots ?? []).filter(({ id }) => !data?.apps.some(({ bot_id: botId }) => botId === id));
  return (
    <div className="grid grid-cols-1 gap-4">
      <PageHead title={t('nav.apps')} lead={t('apps.lead')} />
      <NewApp bots={free} address={data?.address ?? '*'} />
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.apps.length === 0 && <Empty icon={<Globe />} title={t('apps.empty')} />}
      {data && data.apps.length > 0 && (
        <Card>
          <ul>
            {data.apps.map((app) => (
              <AppRow
                key={app.id}
                app={app}
                botName={nameOf(app.bot_id)}
                onChanged={reload}
                onDelete={() => setAsked(app)}
              />
            ))}
          </ul>
        </Card>
      )}
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(null)}
          title={t('apps.delete_title', { name: asked.name })}
          lead={t('apps.delete_lead')}
          verb={t('action.delete')}
          onConfirm={async () => {
            await withToast(() => call('POST', '/apps/delete', { app_id: asked.id }), t('apps.deleted'));
            reload();
          }}
        />
      )}
    </div>
  );
}

function NewApp({ bots, address }: { bots: { id: string; name: string }[]; address: string }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [fields, setFields] = useState<AppFieldValues>({ port: '', healthPath: '' });
  const [isFree, setFree] = useState(false);
  const [busy, setBusy] = useState(false);
  const botId = chosen || bots[0]?.id;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      bot_id: botId,
      name,
      ...(fields.port !== '' && { port: Number(fields.port) }),
      ...(fields.healthPath !== '' && { health_path: fields.healthPath }),
    };
    const isMade = await withToast(() => create('/apps/create', body));
    setBusy(false);
    if (isMade) {
      setName('');
      setChosen('');
    }
    reload();
  };
  const why = bots.length === 0 ? t('apps.no_bot') : isFree ? null : t('apps.name_first');
  return (
    <Card title={t('apps.new')} lead={t('apps.new_lead')}>
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
        <SubdomainField value={name} address={address} onChange={setName} onState={setFree} />
        <Field label={t('apps.bot')}>
          <Select value={botId ?? ''} onChange={(event) => setChosen(event.target.value)}>
            {bots.map((bot) => (
              <option key={bot.id} value={bot.id}>
                {bot.name}
              </option>
            ))}
          </Select>
        </Field>
        <AppFields {...fields} onChange={(change) => setFields({ ...fields, ...change })} />
        <div>
          <Button type="submit" variant="primary" busy={busy} why={why}>
            {t('apps.create')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
