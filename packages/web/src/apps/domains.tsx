// The domains of an app: adding one, its DNS records, verification and certificate.
import type { AppData } from '@botel/contract/apps';
import type { DomainData, DomainListData } from '@botel/contract/domains';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, create, read } from '../api/calls.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { ErrorCard, errorText, Skeleton } from '../kit/states.tsx';
import { toastSuccess, withToast } from '../kit/toast.tsx';
import { copyText } from '../lib/copy-text.ts';
import { t } from '../texts/text.ts';

const keyOf = (appId: string) => ['domains', appId];

export function Domains({ app }: { app: AppData }) {
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: keyOf(app.id),
    queryFn: ({ signal }) => read<DomainListData>(`/apps/${app.id}/domains`, signal),
  });
  const [hostname, setHostname] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      await create('/domains/create', { app_id: app.id, hostname: hostname.trim() });
      setHostname('');
    } catch (caught) {
      setFault(errorText(caught));
    }
    setBusy(false);
    readAgain(app.id);
  };
  return (
    <section aria-label={t('apps.domains_of', { name: app.name })} className="mt-3 rounded-lg bg-sunken/50 p-3 sm:p-4">
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      <ul className="grid gap-4">
        {data?.domains.map((domain) => (
          <DomainRow key={domain.id} domain={domain} />
        ))}
      </ul>
      <form className="mt-2 grid gap-3" onSubmit={(event) => void submit(event)}>
        <Field label={t('domains.new')} hint={t('domains.new_hint')} fault={fault}>
          <TextInput
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="www.example.com"
            value={hostname}
            onChange={(event) => setHostname(event.target.value)}
          />
        </Field>
        <div>
          <Button type="submit" busy={busy}>
            {t('domains.add')}
          </Button>
        </div>
      </form>
    </section>
  );
}

function readAgain(appId: string): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(appId) });
}

function DomainRow({ domain }: { domain: DomainData }) {
  const { id, app_id: appId, hostname, status, fault, tls } = domain;
  const [busy, setBusy] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const verify = async () => {
    setBusy(true);
    await withToast(() => call('POST', '/domains/verify', { domain_id: id }));
    setBusy(false);
    readAgain(appId);
  };
  const tone = { verified: 'text-good', failed: 'text-bad', pending: 'text-info' }[status];
  return (
    <li className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>
          <span className="font-medium">{hostname}</span>{' '}
          <span className={`text-sm ${tone}`}>{t(`domains.status.${status}`)}</span>{' '}
          {tls !== 'none' && <span className="text-sm text-muted">{t(`domains.tls.${tls}`)}</span>}
        </p>
        <div className="flex flex-wrap gap-1.5">
          <Button
            size="small"
            busy={busy}
            aria-label={t('domains.verify_of', { hostname })}
            onClick={() => void verify()}
          >
            {t('domains.verify')}
          </Button>
          <Button size="small" aria-label={t('backups.delete_of', { name: hostname })} onClick={() => setAsked(true)}>
            {t('action.delete')}
          </Button>
        </div>
      </div>
      {fault && <p className="text-sm text-bad">{fault}</p>}
      {status !== 'verified' && <Records domain={domain} />}
      <Confirm
        open={isAsked}
        onClose={() => setAsked(false)}
        title={t('domains.delete_title', { hostname })}
        lead={t('domains.delete_lead')}
        verb={t('action.delete')}
        onConfirm={async () => {
          await withToast(() => call('POST', '/domains/delete', { domain_id: id }));
          readAgain(appId);
        }}
      />
    </li>
  );
}

function Records({ domain }: { domain: DomainData }) {
  const copy = async (value: string) => {
    if (await copyText(value)) toastSuccess(t('action.copied'));
  };
  return (
    <div className="text-sm">
      <p className="text-muted">{t('domains.records')}</p>
      <ul className="mt-1.5 grid gap-2">
        {domain.records.map(({ type, name, value }) => (
          <li key={type} className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-surface p-2.5">
            <div className="min-w-0 font-mono text-xs break-all">
              <p>
                {type} {name}
              </p>
              <p>{value}</p>
            </div>
            <Button size="small" aria-label={t('domains.copy_of', { type })} onClick={() => void copy(value)}>
              {t('action.copy')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
