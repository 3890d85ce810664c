// The admin overview: memory, top consumers, failures of the last day.
import type { OverviewData } from '@botel/contract/admin';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from '../../kit/card.tsx';
import { Meter } from '../../kit/meter.tsx';
import { ErrorCard, Pending } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { isTextKey, shownLanguage, t } from '../../texts/text.ts';
import { healthQuery, overviewQuery } from './admin-queries.ts';
import { Row, Rows } from './rows.tsx';

export function Overview() {
  const { data, dataUpdatedAt, error, refetch } = useQuery(overviewQuery);
  if (!data) return <Pending query={{ error, refetch }} rows={3} height="8rem" />;
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      <Memory overview={data} />
      <Card title={t('admin.counts')}>
        <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <Count name={t('admin.bots_online')}>
            {t('bots.of', { used: data.bots.online, limit: data.bots.total })}
          </Count>
          <Count name={t('admin.bots_suspended')}>{data.bots.suspended}</Count>
          <Count name={t('admin.failures')}>{data.failures.count}</Count>
          <Count name={t('admin.section.users')}>{data.users.total}</Count>
          <Count name={t('admin.users_suspended')}>{data.users.suspended}</Count>
        </dl>
      </Card>
      <Consumers consumers={data.consumers} />
      <Failures bots={data.failures.bots} />
    </div>
  );
}

function Memory({ overview: { memory } }: { overview: OverviewData }) {
  const { data: health } = useQuery(healthQuery);
  const language = shownLanguage.get();
  const ofMb = (used: number, limit: number) => ({
    used,
    limit,
    text: t('bots.of_mb', {
      used: formatNumber(Math.round(used), language),
      limit: formatNumber(limit, language),
    }),
  });
  const total = health?.memory.total_mb;
  return (
    <Card title={t('admin.memory')}>
      <div className="grid gap-4">
        <Meter label={t('admin.memory_of_promised')} {...ofMb(memory.used_mb, memory.promised_mb)} />
        {total !== undefined && <Meter label={t('admin.promised_of_machine')} {...ofMb(memory.promised_mb, total)} />}
      </div>
    </Card>
  );
}

function Count({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{children}</dd>
    </div>
  );
}

function Consumers({ consumers }: { consumers: OverviewData['consumers'] }) {
  const language = shownLanguage.get();
  return (
    <Card title={t('admin.consumers')} lead={t('admin.consumers_lead')}>
      {consumers.length === 0 && <p className="text-muted">{t('admin.no_consumers')}</p>}
      <Rows>
        {consumers.map((bot) => (
          <Row key={bot.bot_id} title={bot.name} facts={[bot.owner.email]}>
            <div className="w-44">
              <Meter
                label={t('admin.cpu', { percent: formatNumber(bot.cpu_percent ?? 0, language, 1) })}
                used={bot.memory_mb}
                limit={bot.memory_limit_mb}
                text={t('bots.of_mb', {
                  used: formatNumber(Math.round(bot.memory_mb), language),
                  limit: formatNumber(bot.memory_limit_mb, language),
                })}
              />
            </div>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function Failures({ bots }: { bots: OverviewData['failures']['bots'] }) {
  return (
    <Card title={t('admin.failed')} lead={t('admin.failed_lead')}>
      {bots.length === 0 && <p className="text-muted">{t('admin.no_failures')}</p>}
      <Rows>
        {bots.map((bot) => (
          <Row
            key={bot.bot_id}
            title={bot.name}
            facts={[bot.owner.email, reasonOf(bot.last_reason), <Ago key="at" at={bot.last_at} />]}
          >
            <span className="text-sm tabular-nums">{t('admin.times', { count: bot.count })}</span>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function reasonOf(reason: string): string {
  const key = `status.${reason}`;
  return isTextKey(key) ? t(key) : reason;
}
