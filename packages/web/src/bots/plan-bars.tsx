// Plan limits and their usage.
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../api/queries.ts';
import { Meter } from '../kit/meter.tsx';
import { ErrorCard } from '../kit/states.tsx';
import { t } from '../texts/text.ts';

export function PlanBars() {
  const { data: usage, error, refetch } = useQuery(usageQuery);
  // Reserves the space, so that nothing moves when the bars appear.
  if (!usage)
    return (
      <div className="mb-6 min-h-[4.5rem]">{error && <ErrorCard error={error} retry={() => void refetch()} />}</div>
    );
  const { memory, bots, disk, apps } = usage;
  const inMb = ({ used_mb: used, limit_mb: limit }: { used_mb: number; limit_mb: number }) => ({
    used,
    limit,
    text: t('bots.of_mb', { used: Math.round(used), limit }),
  });
  const counted = ({ used, limit }: { used: number; limit: number }) => ({
    used,
    limit,
    text: t('bots.of', { used, limit }),
  });
  return (
    <section
      aria-label={t('bots.plan_label')}
      className="mb-6 grid grid-cols-2 items-end gap-x-6 gap-y-4 rounded-card bg-surface p-4 shadow-card lg:grid-cols-4"
    >
      <Meter label={t('bots.plan_memory')} {...inMb(memory)} />
      <Meter label={t('bots.plan_bots')} {...counted(bots)} />
      <Meter label={t('bots.plan_disk')} {...inMb(disk)} />
      <Meter label={t('bots.plan_apps')} {...counted(apps)} />
    </section>
  );
}
