// All bots of the user: plan usage, filters, the list, and bulk actions.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot as BotIcon, Plus, Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { botsQuery } from '../api/queries.ts';
import { BotList } from '../bots/bot-list.tsx';
import { BulkBar } from '../bots/bulk-bar.tsx';
import { PlanBars } from '../bots/plan-bars.tsx';
import { type Group, groupOf, groups } from '../bots/status-word.ts';
import { Button } from '../kit/button.tsx';
import { LinkButton } from '../kit/link-button.tsx';
import { PageHead } from '../kit/card.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { Empty, ErrorCard, Skeleton } from '../kit/states.tsx';
import { classes } from '../lib/classes.ts';
import { loadLazyTexts, t } from '../texts/text.ts';

const FirstSteps = lazy(async () => {
  const [{ FirstSteps: component }] = await Promise.all([import('../bots/first-steps.tsx'), loadLazyTexts()]);
  return { default: component };
});

type Sort = 'name' | 'created' | 'memory';

const orders: Record<Sort, (a: BotData, b: BotData) => number> = {
  name: (a, b) => a.name.localeCompare(b.name),
  created: (a, b) => b.created_at.localeCompare(a.created_at),
  memory: (a, b) => b.memory - a.memory,
};

export function BotsPage() {
  usePageTitle(t('bots.title'));
  const { data, dataUpdatedAt, error, refetch } = useQuery(botsQuery);
  return (
    <>
      <PageHead title={t('bots.title')}>
        <LinkButton to="/new" icon={<Plus className="size-4" aria-hidden />}>
          {t('bots.new')}
        </LinkButton>
      </PageHead>
      <PlanBars />
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      {data ? <Bots bots={data.bots} /> : !error && <Skeleton rows={5} />}
    </>
  );
}

function Bots({ bots }: { bots: BotData[] }) {
  const { group = 'all', q = '', sort = 'name' } = useSearch({ from: '/shell/' });
  const navigate = useNavigate({ from: '/' });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  if (bots.length === 0)
    return (
      <>
        <Empty icon={<BotIcon />} title={t('bots.empty')}>
          <LinkButton to="/new">{t('bots.first')}</LinkButton>
        </Empty>
        <Suspense fallback={<Skeleton rows={2} height="7rem" />}>
          <FirstSteps />
        </Suspense>
      </>
    );
  const shown = bots
    .filter((bot) => (group === 'all' || groupOf(bot) === group) && bot.name.toLowerCase().includes(q.toLowerCase()))
    .sort(orders[sort]);
  const show = (change: { group?: Group; q?: string; sort?: Sort }) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Chips bots={bots} group={group} onChange={(next) => show({ group: next === 'all' ? undefined : next })} />
        <div className="flex grow flex-wrap justify-end gap-2">
          <label className="relative min-w-40 grow sm:max-w-64">
            <span className="sr-only">{t('bots.filter')}</span>
            <Search className="pointer-events-none absolute start-2.5 top-2.5 size-4 text-muted" aria-hidden />
            <input
              type="search"
              value={q}
              placeholder={t('bots.filter')}
              onChange={(event) => show({ q: event.target.value || undefined })}
              className="h-9 w-full rounded-lg bg-surface ps-8 pe-2 text-base ring-1 ring-edge/60 ring-inset sm:text-sm touch:min-h-11"
            />
          </label>
          <select
            aria-label={t('bots.sort')}
            value={sort}
            onChange={(event) => show({ sort: event.target.value as Sort })}
            className="h-9 rounded-lg bg-surface px-2 text-base ring-1 ring-edge/60 ring-inset sm:text-sm touch:min-h-11"
          >
            {(['name', 'created', 'memory'] as const).map((each) => (
              <option key={each} value={each}>
                {t(`bots.sort.${each}`)}
              </option>
            ))}
          </select>
        </div>
      </div>
      {shown.length === 0 ? (
        <Empty icon={<Search />} title={t('bots.none_match')}>
          <Button onClick={() => show({ group: undefined, q: undefined })}>{t('bots.show_all')}</Button>
        </Empty>
      ) : (
        <BotList bots={shown} selected={selected} onSelect={setSelected} />
      )}
      <BulkBar bots={bots.filter(({ id }) => selected.has(id))} onClear={() => setSelected(new Set())} />
    </>
  );
}

function Chips({ bots, group, onChange }: { bots: BotData[]; group: Group; onChange: (group: Group) => void }) {
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{t('bots.groups')}</legend>
      {groups.map((each) => {
        const count = each === 'all' ? bots.length : bots.filter((bot) => groupOf(bot) === each).length;
        return (
          <button
            key={each}
            type="button"
            aria-pressed={each === group}
            onClick={() => onChange(each)}
            className={classes(
              'h-8 rounded-full px-3 text-sm touch:min-h-11',
              each === group ? 'bg-ink text-paper' : 'text-muted hover:bg-sunken hover:text-ink',
            )}
          >
            {t(`bots.group.${each}`)} <span className="tabular-nums opacity-80">{count}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
