// The list of bots: a table on wide screens, cards on phones, with current metrics.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { type Dispatch, memo, type SetStateAction, useCallback } from 'react';
import { recentMetricsQuery } from '../api/queries.ts';
import { Since, useUptime } from '../kit/time.tsx';
import { formatNumber, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { BotActions } from './bot-actions.tsx';
import { CpuSparkline } from './cpu-sparkline.tsx';
import { StatusMark } from './status-mark.tsx';

type Selection = ReadonlySet<string>;

interface BotListProps {
  bots: BotData[];
  selected: Selection;
  onSelect: Dispatch<SetStateAction<Selection>>;
}

const cell = 'px-3 py-2.5';
const heads = [
  'bots.col_name',
  'bots.col_status',
  'bots.col_cpu',
  'bots.col_memory',
  'bots.col_uptime_day',
  'bots.col_actions',
] as const;

export function BotList({ bots, selected, onSelect }: BotListProps) {
  const toggle = useCallback(
    (id: string) =>
      onSelect((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [onSelect],
  );
  const areAll = bots.every(({ id }) => selected.has(id));
  return (
    <>
      <div className="hidden rounded-card bg-surface shadow-card md:block">
        <table className="w-full text-sm">
          <thead className="text-left text-muted">
            <tr className="border-b border-line">
              <th className="w-10 ps-4">
                <Tick
                  label={t('bots.select_all')}
                  isOn={areAll}
                  onChange={() => onSelect(new Set(areAll ? [] : bots.map(({ id }) => id)))}
                />
              </th>
              {heads.map((key) => (
                <th key={key} scope="col" className={`${cell} font-medium`}>
                  {t(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bots.map((bot) => (
              <Row key={bot.id} bot={bot} isOn={selected.has(bot.id)} onToggle={toggle} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="grid gap-3 md:hidden">
        {bots.map((bot) => (
          <BotCard key={bot.id} bot={bot} isOn={selected.has(bot.id)} onToggle={toggle} />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  bot: BotData;
  isOn: boolean;
  onToggle: (id: string) => void;
}

/** Re-renders for its own bot only: metrics of all bots arrive every five seconds. */
const Row = memo(function Row({ bot, isOn, onToggle }: RowProps) {
  return (
    <tr className="border-b border-line last:border-0 hover:bg-sunken/40">
      <td className="ps-4">
        <Tick label={t('bots.select', { name: bot.name })} isOn={isOn} onChange={() => onToggle(bot.id)} />
      </td>
      <td className={cell}>
        <BotName bot={bot} />
      </td>
      <td className={cell}>
        <StatusMark bot={bot} />
      </td>
      <td className={`${cell} tabular-nums`}>
        <CpuSparkline bot={bot} />
      </td>
      <td className={`${cell} whitespace-nowrap tabular-nums`}>{memoryText(bot)}</td>
      <td className={`${cell} tabular-nums`}>
        <Uptime bot={bot} />
      </td>
      <td className="pe-3">
        <BotActions bot={bot} isSmall />
      </td>
    </tr>
  );
});

const BotCard = memo(function BotCard({ bot, isOn, onToggle }: RowProps) {
  return (
    <li className="grid gap-3 rounded-card bg-surface p-4 shadow-card">
      <div className="flex items-start justify-between gap-3">
        <BotName bot={bot} />
        <Tick label={t('bots.select', { name: bot.name })} isOn={isOn} onChange={() => onToggle(bot.id)} />
      </div>
      <StatusMark bot={bot} />
      <dl className="grid gap-1 text-sm tabular-nums">
        <Fact name={t('bots.col_cpu')}>
          <CpuSparkline bot={bot} />
        </Fact>
        <Fact name={t('bots.col_memory')}>{memoryText(bot)}</Fact>
        <Fact name={t('bots.col_uptime_day')}>
          <Uptime bot={bot} />
        </Fact>
      </dl>
      <BotActions bot={bot} isSmall />
    </li>
  );
});

function Tick({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: () => void }) {
  return (
    <label className="inline-grid size-6 place-items-center touch:size-11">
      <input type="checkbox" aria-label={label} checked={isOn} onChange={onChange} className="size-4 accent-accent" />
    </label>
  );
}

function BotName({ bot }: { bot: BotData }) {
  return (
    <div className="min-w-0">
      <Link
        to="/bots/$botId"
        params={{ botId: bot.id }}
        className="inline-flex min-h-6 items-center font-medium underline-offset-4 hover:underline"
      >
        {bot.name}
      </Link>
      <p className="text-xs text-muted">{t(`language.${bot.language}`)}</p>
      {bot.app && (
        <a
          href={bot.app.url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-6 items-center gap-1 text-xs text-accent hover:underline"
        >
          {bot.app.name} <ExternalLink className="size-3" aria-hidden />
        </a>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid grid-cols-[7rem_1fr] items-center">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const absent = '–';

function memoryText({ usage, memory }: BotData): string {
  const language = shownLanguage.get();
  const limit = `${formatNumber(memory, language)} MB`;
  const used = usage?.memory_mb ?? null;
  return used === null ? limit : `${formatNumber(used, language)} / ${limit}`;
}

/** Uptime of the last 24 hours; below it the current uptime. */
function Uptime({ bot }: { bot: BotData }) {
  const { id, run, status, started_at: startedAt } = bot;
  const { data } = useQuery({ ...recentMetricsQuery, select: (curves) => curves[id]?.uptimePercent ?? null });
  const uptime = useUptime(run > 0 ? data : null, bot.created_at);
  return (
    <>
      {uptime === null ? absent : formatPercent(uptime, shownLanguage.get(), 1)}
      {status === 'online' && startedAt && (
        <span className="block text-xs whitespace-nowrap text-muted">
          {t('bots.up_for')} <Since at={startedAt} />
        </span>
      )}
    </>
  );
}
