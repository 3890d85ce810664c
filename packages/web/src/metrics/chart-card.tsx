// One metric: its chart, the same data as a table, and a summary in words.
import { ChartLine, Table } from 'lucide-react';
import { useId, useState, useSyncExternalStore } from 'react';
import { IconButton } from '../kit/button.tsx';
import { classes } from '../lib/classes.ts';
import { formatMoment } from '../lib/format.ts';
import type { ValueStore } from '../lib/value-store.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { Chart, type ChartData, type Line } from './chart.tsx';
import { nearestTo } from './scale.ts';
import { momentText } from './times.ts';

interface ChartCardProps {
  title: string;
  /** The summary in words. */
  summary: string;
  data: ChartData;
  cursor: ValueStore<number | null>;
}

export function ChartCard({ title, summary, data, cursor }: ChartCardProps) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  return (
    <section aria-labelledby={`${id}-title`} className="min-w-0 rounded-card bg-surface p-4 shadow-card">
      <header className="mb-3 flex items-start gap-3">
        <div className="min-w-0 grow">
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <h2 id={`${id}-title`} className="text-base">
              {title}
            </h2>
            <Readout data={data} cursor={cursor} />
          </div>
          <p id={`${id}-summary`} className="mt-0.5 text-sm text-muted">
            {summary}
          </p>
        </div>
        <IconButton
          size="small"
          label={t(isTable ? 'metrics.as_chart' : 'metrics.as_table', { title })}
          data-tip-side="end"
          onClick={() => setTable(!isTable)}
        >
          {isTable ? <ChartLine className="size-4" aria-hidden /> : <Table className="size-4" aria-hidden />}
        </IconButton>
      </header>
      {isTable ? (
        <MetricsTable title={title} data={data} />
      ) : (
        <Chart title={title} data={data} cursor={cursor} describedBy={`${id}-summary`} />
      )}
    </section>
  );
}

const swatches = { accent: 'bg-accent', info: 'bg-info' };

/** The values at the cursor, or the newest. */
function Readout({ data, cursor }: { data: ChartData; cursor: ValueStore<number | null> }) {
  const at = useSyncExternalStore(cursor.subscribe, cursor.get);
  const { times, lines, format } = data;
  const index = at === null ? times.length - 1 : nearestTo(times, at);
  const time = times[index];
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-sm tabular-nums" aria-hidden>
      {lines.map((line) => (
        <span key={line.name} className="inline-flex items-baseline gap-1.5">
          {lines.length > 1 && (
            <>
              <span className={classes('size-2 self-center rounded-full', swatches[line.tone])} />
              <span className="text-muted">{line.name}</span>
            </>
          )}
          {(at !== null || typeof line.values[index] === 'number') && (
            <span className="font-medium">{valueText(line, index, format)}</span>
          )}
        </span>
      ))}
      {at !== null && time !== undefined && <span className="text-muted">{momentText(time, shownLanguage.get())}</span>}
    </p>
  );
}

function valueText({ values }: Line, index: number, format: ChartData['format']): string {
  const value = values[index];
  return value === null || value === undefined ? '–' : format(value);
}

/** Newest first. */
function MetricsTable({ title, data: { times, lines, format } }: { title: string; data: ChartData }) {
  const rows = times.map((at, index) => ({ at, index })).toReversed();
  return (
    <div
      role="region"
      aria-label={t('metrics.as_table', { title })}
      // A scrollable box must be reachable with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="h-42 overflow-y-auto rounded-lg"
    >
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-surface text-start text-muted">
          <tr>
            <th scope="col" className="py-1 text-start font-medium">
              {t('metrics.time')}
            </th>
            {lines.map(({ name }) => (
              <th key={name} scope="col" className="py-1 text-end font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, index }) => (
            <tr key={at} className="border-t border-line">
              <th scope="row" className="py-1 text-start font-normal">
                {formatMoment(at, shownLanguage.get())}
              </th>
              {lines.map((line) => (
                <td key={line.name} className="py-1 pe-1 text-end">
                  {valueText(line, index, format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
