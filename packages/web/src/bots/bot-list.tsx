// The list of bots: a table where there is room, cards on phones. One row per bot, with what it uses now.
import type { BotData } from '@botel/contract/bots';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { Since } from '../kit/time.tsx';
import { formatNumber, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { BotActions } from './bot-actions.tsx';
import { StatusMark } from './status-mark.tsx';

interface BotListProps {
  bots: BotData[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

const cell = 'px-3 py-2.5';
const heads = [
  'bots.col_name',
  'bots.col_status',
  'bots.col_cpu',
  'bots.col_memory',
  'bots.col_uptime',
  'bots.col_actions',
] as const;

export function BotList({ bots, selected, onSelect }: BotListProps) {
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
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
              <tr key={bot.id} className="border-b border-line last:border-0 hover:bg-sunken/40">
                <td className="ps-4">
                  <Tick
                    label={t('bots.select', { name: bot.name })}
                    isOn={selected.has(bot.id)}
                    onChange={() => toggle(bot.id)}
                  />
                </td>
                <td className={cell}>
                  <BotName bot={bot} />
                </td>
                <td className={cell}>
                  <StatusMark bot={bot} />
                </td>
                <td className={`${cell} tabular-nums`}>{cpuText(bot)}</td>
                <td className={`${cell} whitespace-nowrap tabular-nums`}>{memoryText(bot)}</td>
                <td className={`${cell} whitespace-nowrap tabular-nums`}>{uptimeOf(bot)}</td>
                <td className="pe-3">
                  <BotActions bot={bot} isSmall />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul className="grid gap-3 md:hidden">
        {bots.map((bot) => (
          <li key={bot.id} className="grid gap-3 rounded-card bg-surface p-4 shadow-card">
            <div className="flex items-start justify-between gap-3">
              <BotName bot={bot} />
              <Tick
                label={t('bots.select', { name: bot.name })}
                isOn={selected.has(bot.id)}
                onChange={() => toggle(bot.id)}
              />
            </div>
            <StatusMark bot={bot} />
            <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm tabular-nums">
              <Fact name={t('bots.col_cpu')}>{cpuText(bot)}</Fact>
              <Fact name={t('bots.col_memory')}>{memoryText(bot)}</Fact>
              {bot.started_at && <Fact name={t('bots.col_uptime')}>{uptimeOf(bot)}</Fact>}
            </dl>
            <BotActions bot={bot} isSmall />
          </li>
        ))}
      </ul>
    </>
  );
}

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
    <div className="flex gap-1.5">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const absent = '–';

function cpuText({ usage }: BotData): string {
  const percent = usage?.cpu_percent ?? null;
  return percent === null ? absent : formatPercent(percent, shownLanguage.get(), 1);
}

function memoryText({ usage, memory }: BotData): string {
  const language = shownLanguage.get();
  const limit = `${formatNumber(memory, language)} MB`;
  const used = usage?.memory_mb ?? null;
  return used === null ? limit : `${formatNumber(used, language)} / ${limit}`;
}

function uptimeOf({ status, started_at: startedAt }: BotData) {
  return status === 'online' && startedAt ? <Since at={startedAt} /> : absent;
}
