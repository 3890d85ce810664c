// The health of the machine: services and resource usage.
import type { MachineHealthData } from '@botel/contract/admin';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Card } from '../../kit/card.tsx';
import { Meter } from '../../kit/meter.tsx';
import { ErrorCard, Pending } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { formatDuration, formatMs, formatNumber } from '../../lib/format.ts';
import { Checkup } from '../../machine/checkup.tsx';
import { shownLanguage, t } from '../../texts/text.ts';
import { healthQuery } from './admin-queries.ts';

export function Machine() {
  const { data: health, dataUpdatedAt, error, refetch } = useQuery(healthQuery);
  if (!health) return <Pending query={{ error, refetch }} rows={2} height="9rem" />;
  const { memory, disk, bots, load, processors, version, uptime_seconds: uptime } = health;
  const language = shownLanguage.get();
  const ofMb = (used: number, limit: number) => ({
    used,
    limit,
    text: t('bots.of_mb', { used: formatNumber(used, language), limit: formatNumber(limit, language) }),
  });
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      <Card title={t('admin.parts')} lead={t('admin.parts_lead')}>
        <ul className="grid gap-2.5">
          {health.checks.map(({ part, fault }) => {
            const Icon = fault === null ? CircleCheck : TriangleAlert;
            return (
              <li key={part} className="flex gap-2.5">
                <Icon className={`mt-0.5 size-5 shrink-0 ${fault === null ? 'text-good' : 'text-bad'}`} aria-hidden />
                <div>
                  <p className="font-medium">
                    {t(`admin.part.${part}`)}{' '}
                    <span className="font-normal text-muted">
                      {t(fault === null ? 'admin.fine' : 'admin.not_fine')}
                    </span>
                  </p>
                  {fault !== null && <p className="text-sm">{t(`admin.fix.${part}`)}</p>}
                </div>
              </li>
            );
          })}
        </ul>
      </Card>
      <Card title={t('admin.use')} lead={t('admin.version', { version, time: formatDuration(uptime, language) })}>
        <div className="grid gap-4">
          <Meter label={t('admin.memory_used')} {...ofMb(memory.total_mb - memory.free_mb, memory.total_mb)} />
          <Meter label={t('admin.memory_promised')} {...ofMb(memory.promised_mb, memory.total_mb)} />
          <Meter label={t('bots.plan_disk')} {...ofMb(disk.total_mb - disk.free_mb, disk.total_mb)} />
          <Meter
            label={t('admin.load')}
            used={load}
            limit={processors}
            text={t('admin.load_of', { load: formatNumber(load, language, 2), processors })}
          />
          <p className="flex flex-wrap justify-between gap-x-3 text-sm">
            <span className="text-muted">{t('admin.bots_online')}</span>
            <span className="tabular-nums">{t('bots.of', { used: bots.online, limit: bots.total })}</span>
          </p>
          <p className="flex flex-wrap justify-between gap-x-3 text-sm">
            <span className="text-muted">{t('admin.oldest_wait')}</span>
            <span className="tabular-nums">{formatDuration(health.oldest_wait_seconds, language)}</span>
          </p>
        </div>
      </Card>
      <Card title={t('admin.tasks')} lead={t('admin.tasks_lead')} className="lg:col-span-2">
        <Tasks tasks={health.tasks} />
      </Card>
      <Card title={t('admin.doctor')} lead={t('admin.doctor_lead')} className="lg:col-span-2">
        <Checkup />
      </Card>
    </div>
  );
}

function Tasks({ tasks }: Pick<MachineHealthData, 'tasks'>) {
  const language = shownLanguage.get();
  return (
    <ul className="grid gap-2 text-sm">
      {tasks.map(({ name, period_seconds: period, last_run: run, last_error: fault }) => (
        <li key={name} className="grid gap-x-4 sm:grid-cols-[14rem_8rem_1fr]">
          <code lang="en">{name}</code>
          <span className="text-muted">{t('admin.task_every', { time: formatDuration(period, language) })}</span>
          <span>
            {run ? <Ago at={run.started_at} /> : t('admin.task_not_yet')}{' '}
            {run && (
              <span className="text-muted">{t('admin.task_took', { time: formatMs(run.duration_ms, language) })}</span>
            )}
          </span>
          {fault && (
            <p className="text-bad sm:col-span-3">
              {t('admin.task_failed')} <Ago at={fault.at} />{' '}
              <span lang="en" className="wrap-anywhere">
                {fault.message}
              </span>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
