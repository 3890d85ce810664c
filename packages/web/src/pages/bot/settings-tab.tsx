// The tab "settings" of a bot: everything that one save changes, and its end.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/calls.ts';
import { botQuery, runtimesQuery, usageQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { showBot } from '../../bots/act.ts';
import { DeleteDialog } from '../../bots/delete-dialog.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { CheckBox, Field, Select, TextInput } from '../../kit/field.tsx';
import { errorText } from '../../kit/states.tsx';
import { told } from '../../kit/toast.tsx';
import { isApiError } from '../../lib/api-error.ts';
import { t } from '../../texts/text.ts';
import { MemoryField } from '../../wizard/memory-field.tsx';

const modes = ['always', 'on-failure', 'never'] as const;
const signals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;

export function SettingsTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { data: bot } = useQuery(botQuery(botId));
  if (!bot) return null;
  return (
    <div className="grid max-w-3xl grid-cols-1 gap-4">
      <SettingsForm key={bot.id} bot={bot} />
      <DeleteCard bot={bot} />
    </div>
  );
}

/** What the form holds: texts and numbers as the API takes them. */
function draftOf(bot: BotData) {
  const { name, memory, startup_command, runtime_version, stdin, restart_policy: policy, stop } = bot;
  return {
    name,
    memory,
    startup_command,
    runtime_version,
    stdin,
    mode: policy.mode,
    backoff: policy.backoff_max_seconds,
    signal: stop.signal,
    grace: stop.grace_seconds,
  };
}

type Draft = ReturnType<typeof draftOf>;

function inputOf(draft: Draft, bot: BotData) {
  const { mode, backoff, signal, grace, ...fields } = draft;
  const { max_retries: retries } = bot.restart_policy;
  return {
    bot_id: bot.id,
    ...fields,
    restart_policy: { mode, backoff_max_seconds: backoff, ...(retries !== null && { max_retries: retries }) },
    stop: { signal, grace_seconds: grace },
  };
}

function SettingsForm({ bot }: { bot: BotData }) {
  const [draft, setDraft] = useState(() => draftOf(bot));
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { data: usage } = useQuery(usageQuery);
  const { data: runtimes } = useQuery(runtimesQuery);
  const change = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const versions = runtimes?.runtimes.find(({ language }) => language === bot.language)?.versions ?? [
    bot.runtime_version,
  ];
  const isMemory = isApiError(error) && error.code === 'insufficient_memory';
  const faultOf = (field: string) => (isApiError(error) && error.field === field ? errorText(error) : null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    await told(async () => {
      try {
        const { data } = await call<BotData>('POST', '/bots/update', inputOf(draft, bot));
        showBot(bot.id, data);
        void queryClient.invalidateQueries({ queryKey: usageQuery.queryKey });
      } catch (caught) {
        setError(caught);
        throw caught;
      }
    }, t('settings.saved'));
    setBusy(false);
  };
  return (
    <Card title={t('settings.title')} lead={bot.status === 'offline' ? undefined : t('settings.next_start')}>
      <form className="grid grid-cols-1 gap-5" onSubmit={(event) => void save(event)}>
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
          <Field label={t('new.command')} fault={faultOf('startup_command')}>
            <TextInput
              required
              className="font-mono"
              spellCheck={false}
              value={draft.startup_command}
              onChange={(e) => change({ startup_command: e.target.value })}
            />
          </Field>
          <Field label={t('settings.version')} fault={faultOf('runtime_version')}>
            <Select value={draft.runtime_version} onChange={(e) => change({ runtime_version: e.target.value })}>
              {versions.map((version) => (
                <option key={version}>{version}</option>
              ))}
            </Select>
          </Field>
        </div>
        <Restarts draft={draft} change={change} />
        <CheckBox
          label={t('settings.stdin')}
          hint={t('settings.stdin_hint')}
          checked={draft.stdin}
          onChange={(e) => change({ stdin: e.target.checked })}
        />
        <div>
          <Button type="submit" look="primary" busy={busy}>
            {t('action.save')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Restarts({ draft, change }: { draft: Draft; change: (fields: Partial<Draft>) => void }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('settings.restart')} hint={t(`settings.restart.${draft.mode}`)}>
        <Select value={draft.mode} onChange={(e) => change({ mode: e.target.value as Draft['mode'] })}>
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {t(`settings.mode.${mode}`)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('settings.backoff')} hint={t('settings.backoff_hint')}>
        <TextInput
          type="number"
          min={1}
          max={3600}
          value={draft.backoff}
          onChange={(e) => change({ backoff: Math.round(Number(e.target.value)) })}
        />
      </Field>
      <Field label={t('settings.signal')} hint={t('settings.signal_hint')}>
        <Select value={draft.signal} onChange={(e) => change({ signal: e.target.value })}>
          {signals.map((signal) => (
            <option key={signal}>{signal}</option>
          ))}
        </Select>
      </Field>
      <Field label={t('settings.grace')} hint={t('settings.grace_hint')}>
        <TextInput
          type="number"
          min={1}
          max={300}
          value={draft.grace}
          onChange={(e) => change({ grace: Math.round(Number(e.target.value)) })}
        />
      </Field>
    </div>
  );
}

function DeleteCard({ bot }: { bot: BotData }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t('settings.delete')} lead={t('settings.delete_lead')}>
      <Button look="danger" onClick={() => setAsking(true)}>
        {t('settings.delete')}
      </Button>
      {isAsking && <DeleteDialog bot={bot} onClose={() => setAsking(false)} />}
    </Card>
  );
}
