// Renders log rows: one element per chunk, re-rendered only when it changes. Output becomes text
// nodes and spans, never markup.
import { Fragment, memo, type ReactNode, useState } from 'react';
import { classes } from '../lib/classes.ts';
import { formatMoment } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { cssOf } from './ansi-colours.ts';
import { type DrawnPart, drawLine, foldedLength } from './drawn-line.ts';
import type { LogChunk } from './line-store.ts';
import { type LogFilter, levelOfRow, passes } from './log-filter.ts';
import type { DroppedRow, GapRow, LineRow, LogRow } from './log-row.ts';
import type { LogSettings } from './log-settings.ts';
import { stampOf } from './stamps.ts';

/** Height of an unwrapped row in pixels: the placeholder size of chunks never rendered. */
const rowHeight = 20;

/** Options of all rows. `now` in ms, for relative times. */
export interface RowOptions extends LogSettings {
  filter: LogFilter;
  now: number;
  /** Address of the page with this line in view. */
  linkTo: (seq: number) => string;
  /** Selects the line, in its context. */
  show: (seq: number) => void;
  fillGap: (gap: GapRow) => void;
}

interface ChunkProps {
  chunk: LogChunk;
  options: RowOptions;
  /** The search text, '' if the chunk doesn't contain it. */
  wanted: string;
  /** The selected row; null = none of this chunk. */
  current: number | null;
}

export const Chunk = memo(function Chunk({ chunk, options, wanted, current }: ChunkProps) {
  const rows: ReactNode[] = [];
  let run = chunk.runBefore;
  let count = 0;
  for (const row of chunk.rows) {
    if (row.kind !== 'gap') {
      if (row.run !== run && (run !== null || row.seq === 1))
        rows.push(<RunMark key={`run${row.seq}`} run={row.run} ts={row.ts} />);
      run = row.run;
    }
    if (!passes(row, options.filter)) continue;
    count++;
    rows.push(<Row key={row.seq} row={row} options={options} wanted={wanted} isCurrent={current === row.seq} />);
  }
  return (
    <div
      className="[content-visibility:auto]"
      style={{ containIntrinsicSize: `auto 100% auto ${Math.max(1, count) * rowHeight}px` }}
    >
      {rows}
    </div>
  );
});

interface RowProps {
  row: LogRow;
  options: RowOptions;
  wanted: string;
  isCurrent: boolean;
}

const Row = memo(function Row({ row, options, wanted, isCurrent }: RowProps) {
  if (row.kind === 'gap') return <Gap gap={row} fill={options.fillGap} />;
  if (row.kind === 'dropped') return <Dropped row={row} />;
  return <Line row={row} options={options} wanted={wanted} isCurrent={isCurrent} />;
});

const edges: Record<LineRow['stream'], string> = {
  stdout: 'border-transparent',
  stderr: 'border-bad',
  build: 'border-info',
  system: 'border-brass text-muted',
};

function Line({
  row,
  options,
  wanted,
  isCurrent,
}: {
  row: LineRow;
  options: RowOptions;
  wanted: string;
  isCurrent: boolean;
}) {
  const stamp = stampOf(row.ts, options.stamps, shownLanguage.get(), options.now);
  const level = levelOfRow(row);
  return (
    <div
      data-seq={row.seq}
      data-stream={row.stream}
      className={classes(
        'log-line flex gap-2.5 border-s-[3px] ps-2 pe-3 leading-5',
        edges[row.stream],
        isCurrent && 'outline-2 -outline-offset-2 outline-accent',
        !options.wraps && 'w-max min-w-full',
        isEnd(row) && 'mb-2 border-b border-b-line pb-1 font-medium text-brass!',
      )}
    >
      {stamp && (
        <a
          href={options.linkTo(row.seq)}
          title={row.ts}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            options.show(row.seq);
          }}
          tabIndex={-1}
          className={classes(
            'shrink-0 select-none text-muted tabular-nums hover:underline',
            // Narrow pages show whole seconds.
            options.stamps !== 'relative' && 'max-sm:w-[8ch] max-sm:overflow-hidden max-sm:whitespace-nowrap',
          )}
        >
          {stamp}
        </a>
      )}
      {row.stream !== 'stdout' && <span className="sr-only select-none">{t(`log.stream_${row.stream}`)}</span>}
      <span
        dir="ltr"
        className={classes(
          'min-w-0 [unicode-bidi:isolate]',
          options.wraps ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
          level === 'error' && 'text-bad',
          level === 'warn' && 'text-warn',
        )}
      >
        <Text row={row} wanted={wanted} />
      </span>
    </div>
  );
}

/** What Botel writes after the last line of a run. */
function isEnd({ stream, text }: LineRow): boolean {
  return stream === 'system' && /^Run \d+ ended after /.test(text);
}

/** The text of a line: folded if long, formatted on request if it is JSON. */
function Text({ row, wanted }: { row: LineRow; wanted: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = row.text.length > foldedLength;
  const isJson = row.text.length > 80 && row.text.startsWith('{') && row.text.endsWith('}');
  const text = isJson && isOpen ? laidOut(row.text) : isLong && !isOpen ? row.text.slice(0, foldedLength) : row.text;
  return (
    <>
      {isJson && (
        <FoldButton isOpen={isOpen} toggle={() => setOpen(!isOpen)} label={t('log.lay_out')}>
          {isOpen ? '▾' : '▸'}
        </FoldButton>
      )}
      {partsOf(row, text, wanted).map((part, index) => (
        <Part key={index} part={part} />
      ))}
      {row.partial && (
        <span className="select-none text-muted" aria-hidden>
          {'⏎'}
        </span>
      )}
      {isLong && !isJson && (
        <FoldButton isOpen={isOpen} toggle={() => setOpen(!isOpen)}>
          {isOpen ? t('log.fold') : t('log.unfold', { count: row.text.length - foldedLength })}
        </FoldButton>
      )}
    </>
  );
}

const drawn = new WeakMap<LineRow, DrawnPart[]>();

/** Parts of a line without a search are cached. */
function partsOf(row: LineRow, text: string, wanted: string): DrawnPart[] {
  if (wanted !== '' || text !== row.text) return drawLine(text, wanted);
  let parts = drawn.get(row);
  if (!parts) {
    parts = drawLine(text);
    drawn.set(row, parts);
  }
  return parts;
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Part({ part }: { part: DrawnPart }) {
  const { text, style, control, href, hit } = part;
  let content: ReactNode = text;
  if (hit) content = <mark className="rounded-xs bg-[light-dark(#ffd75e,#7a5a00)] text-ink">{content}</mark>;
  if (control) content = <span className="rounded-xs bg-sunken px-0.5 text-bad">{content}</span>;
  if (href)
    content = (
      <a href={href} target="_blank" rel="noopener noreferrer" className="underline">
        {content}
      </a>
    );
  return style ? <span style={cssOf(style)}>{content}</span> : <Fragment>{content}</Fragment>;
}

function FoldButton(props: { isOpen: boolean; toggle: () => void; label?: string; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-expanded={props.isOpen}
      aria-label={props.label}
      onClick={props.toggle}
      className="me-1 inline-flex min-h-5 min-w-6 select-none items-center justify-center rounded-sm bg-sunken px-1 text-muted"
    >
      {props.children}
    </button>
  );
}

function RunMark({ run, ts }: { run: number; ts: string }) {
  return (
    <div className="my-1 flex select-none items-center gap-3 px-3 text-xs text-brass before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
      {t('log.run_from', { run, time: formatMoment(Date.parse(ts), shownLanguage.get()) })}
    </div>
  );
}

function Gap({ gap, fill }: { gap: GapRow; fill: (gap: GapRow) => void }) {
  const count = gap.to - gap.seq + 1;
  return (
    <div
      data-gap={gap.seq}
      className="my-1 flex flex-wrap items-center gap-2 border-y border-dashed border-edge px-3 py-1 text-muted"
    >
      {gap.reason === 'retention' ? t('log.gap_gone', { count }) : t('log.gap', { count })}
      {gap.reason !== 'retention' && (
        <button type="button" className="min-h-6 font-medium text-accent underline" onClick={() => fill(gap)}>
          {t('log.gap_load')}
        </button>
      )}
    </div>
  );
}

function Dropped({ row }: { row: DroppedRow }) {
  const text =
    row.count === null ? t(`log.dropped_${row.reason}`) : t(`log.dropped_${row.reason}_count`, { count: row.count });
  return <div className="my-1 border-y border-dashed border-edge px-3 py-1 text-warn">{text}</div>;
}
