// The schedules of a bot: backups, restarts and so on.
import type { ScheduleData, ScheduleListData } from '@botel/contract/schedules';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, Play, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call, create, read } from '../api/calls.ts';
import { queryClient } from '../api/query-client.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Card } from '../kit/card.tsx';
import { CheckBox, Field, Select, TextInput } from '../kit/field.tsx';
import { Empty, ErrorCard } from '../kit/states.tsx';
import { Ago } from '../kit/time.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';

const actions = ['backup', 'restart', 'start', 'stop'] as const;
const presets = [
  ['0 4 * * *', 'schedules.daily'],
  ['0 4 * * 1', 'schedules.weekly'],
  ['0 * * * *', 'schedules.hourly'],
] as const;
const usualKeep = 3;

export function ScheduleCard({ botId }: { botId: string }) {
  const queryKey = ['schedules', botId];
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read<ScheduleListData>(`/bots/${botId}/schedules`, signal),
  });
  const [isAdding, setAdding] = useState(false);
  const reload = () => void queryClient.invalidateQueries({ queryKey });
  return (
    <Card
      title={t('schedules.title')}
      lead={t('schedules.lead')}
      actions={
        !isAdding && (
          <Button size="small" onClick={() => setAdding(true)}>
            {t('schedules.add')}
          </Button>
        )
      }
    >
      {isAdding && (
        <NewSchedule
          botId={botId}
          onDone={() => {
            setAdding(false);
            reload();
          }}
        />
      )}
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      {data?.schedules.length === 0 && !isAdding && <Empty icon={<CalendarClock />} title={t('schedules.empty')} />}
      <ul>
        {data?.schedules.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} onChanged={reload} />
        ))}
      </ul>
    </Card>
  );
}

function ScheduleRow({ schedule, onChanged }: { schedule: ScheduleData; onChanged: () => void }) {
  const { id, name, cron, timezone, action, enabled, keep, next_run_at: next, last_run: last } = schedule;
  const send = async (path: string, body: object = {}) => {
    await withToast(() => call('POST', `/schedules/${path}`, { schedule_id: id, ...body }));
    onChanged();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5 last:border-0">
      <div className="min-w-40 grow">
        <p className="font-medium">
          {name} <span className="text-sm font-normal text-muted">{t(`schedules.action.${action}`)}</span>
        </p>
        <p className="text-sm text-muted">
          <code className="font-mono">{cron}</code> {timezone}
          {keep !== null && keep > 0 && ` · ${t('schedules.keeps', { count: keep })}`}
          {enabled && next && (
            <>
              {' · '}
              {t('schedules.next')} <Ago at={next} />
            </>
          )}
          {last?.ok === false && (
            <span className="ms-2 text-bad">{t('schedules.failed', { error: last.error ?? '' })}</span>
          )}
        </p>
      </div>
      <CheckBox
        label={t('schedules.on')}
        checked={enabled}
        onChange={(event) => void send('update', { enabled: event.target.checked })}
      />
      <div className="flex">
        <IconButton label={t('schedules.run_of', { name })} onClick={() => void send('run')}>
          <Play className="size-4" aria-hidden />
        </IconButton>
        <IconButton label={t('backups.delete_of', { name })} data-tip-side="end" onClick={() => void send('delete')}>
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
      </div>
    </li>
  );
}

function NewSchedule({ botId, onDone }: { botId: string; onDone: () => void }) {
  const [name, setName] = useState('');
  const [action, setAction] = useState<(typeof actions)[number]>('backup');
  const [cron, setCron] = useState<string>(presets[0][0]);
  const [keep, setKeep] = useState(usualKeep);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const body = { name, action, cron, timezone: timeZone, ...(action === 'backup' && { keep }) };
    const isMade = await withToast(() => create(`/bots/${botId}/schedules`, body));
    setBusy(false);
    if (isMade) onDone();
  };
  return (
    <form className="mb-3 grid gap-4 rounded-xl bg-sunken p-4 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
      <Field label={t('new.name')}>
        <TextInput required maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t('schedules.what')}>
        <Select value={action} onChange={(event) => setAction(event.target.value as typeof action)}>
          {actions.map((each) => (
            <option key={each} value={each}>
              {t(`schedules.action.${each}`)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('schedules.when')}>
        <Select value={cron} onChange={(event) => setCron(event.target.value)}>
          {presets.map(([value, label]) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
          {!presets.some(([value]) => value === cron) && <option value={cron}>{cron}</option>}
        </Select>
      </Field>
      <Field label={t('schedules.cron')} hint={t('schedules.cron_hint')}>
        <TextInput className="font-mono" required value={cron} onChange={(event) => setCron(event.target.value)} />
      </Field>
      {action === 'backup' && (
        <Field label={t('schedules.keep')} hint={t('schedules.keep_hint')}>
          <TextInput
            type="number"
            min={1}
            max={8}
            value={keep}
            onChange={(event) => setKeep(Math.round(Number(event.target.value)))}
          />
        </Field>
      )}
      <div className="flex items-end gap-2 sm:col-span-2">
        <Button type="submit" variant="primary" busy={busy}>
          {t('schedules.add')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </form>
  );
}
