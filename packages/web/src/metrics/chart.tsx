// A line or bar chart over time, with axes, limit and markers. All charts of a page share one
// cursor, moved with the pointer or the arrow keys. Gaps stay gaps.
import { useId, useMemo, useRef, useSyncExternalStore } from 'react';
import type { ValueStore } from '../lib/value-store.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { markLines, markWords } from './mark-styles.tsx';
import type { Mark } from './marks.ts';
import { drawnOf, nearestTo, placeOf, type Span } from './scale.ts';
import { axisTime, momentText } from './times.ts';
import { useWidth } from './use-width.ts';

export interface Line {
  name: string;
  tone: 'accent' | 'info';
  values: readonly (number | null)[];
}

export interface ChartData {
  /** Times in ms, ascending; each line has a value for each. */
  times: readonly number[];
  span: Span;
  lines: readonly Line[];
  marks: readonly Mark[];
  limit: number | null;
  /** The top of the axis. */
  top: number;
  shape: 'line' | 'bars';
  format: (value: number) => string;
}

interface ChartProps {
  title: string;
  data: ChartData;
  /** The cursor's time (ms), in all charts; null = none. */
  cursor: ValueStore<number | null>;
  describedBy: string;
}

const height = 168;
const roomBelow = 20;
const roomAbove = 10;
const letterPx = 6.6;
const ground = height - roomBelow;

export function Chart({ title, data, cursor, describedBy }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const at = useSyncExternalStore(cursor.subscribe, cursor.get);
  const { times, span } = data;
  const index = at === null ? times.length - 1 : nearestTo(times, at);
  const frame = frameOf(data, width);
  const move = (to: number) => cursor.set(times[Math.min(times.length - 1, Math.max(0, to))] ?? null);
  const steps: Record<string, number> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - 10,
    PageUp: index + 10,
    Home: 0,
    End: times.length - 1,
  };
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={t('metrics.points_of', { title })}
      aria-describedby={describedBy}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, times.length - 1)}
      aria-valuenow={Math.max(0, index)}
      aria-valuetext={spoken(data, index)}
      className="relative cursor-crosshair touch-pan-y rounded-lg select-none"
      style={{ height }}
      onKeyDown={(event) => {
        const to = steps[event.key];
        if (event.key === 'Escape') cursor.set(null);
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        move(to);
      }}
      onBlur={() => cursor.set(null)}
      onPointerMove={(event) => {
        const { left } = event.currentTarget.getBoundingClientRect();
        const part = (event.clientX - left - frame.left) / frame.width;
        move(nearestTo(times, span.from + Math.min(1, Math.max(0, part)) * (span.to - span.from)));
      }}
      onPointerLeave={() => cursor.set(null)}
    >
      {width > 0 && (
        <svg width={width} height={height} aria-hidden className="block overflow-visible">
          <Plot data={data} width={width} />
          {at !== null && <Cursor data={data} frame={frame} index={index} />}
        </svg>
      )}
    </div>
  );
}

interface Frame {
  /** Pixels before the plot, and of the plot. */
  left: number;
  width: number;
  /** y of a value. */
  y: (value: number) => number;
  x: (at: number) => number;
}

function frameOf({ span, top, format }: Pick<ChartData, 'span' | 'top' | 'format'>, width: number): Frame {
  const longest = Math.max(...[0, top / 2, top].map((value) => format(value).length));
  const left = Math.ceil(longest * letterPx) + 8;
  const inner = Math.max(1, width - left - 2);
  return {
    left,
    width: inner,
    y: (value) => ground - (value / top) * (ground - roomAbove),
    x: (at) => left + placeOf(at, span) * inner,
  };
}

/** The text of a point for screen readers. */
function spoken({ times, lines, marks, format }: ChartData, index: number): string {
  const at = times[index];
  if (at === undefined) return t('metrics.no_value');
  const values = lines.map(({ name, values: of }) => {
    const value = of[index];
    const text = value === null || value === undefined ? t('metrics.no_value') : format(value);
    return lines.length > 1 ? `${name} ${text}` : text;
  });
  const next = times[index + 1] ?? Number.POSITIVE_INFINITY;
  const here = marks.filter((mark) => mark.at >= at && mark.at < next).map(({ type }) => markWords(type));
  return [momentText(at, shownLanguage.get()), ...values, ...here].join(', ');
}

const tones = {
  accent: { line: 'stroke-accent', area: 'fill-accent', dot: 'fill-accent' },
  info: { line: 'stroke-info', area: 'fill-info', dot: 'fill-info' },
};

/** Everything except the cursor: re-renders only with new data. */
function Plot({ data, width }: { data: ChartData; width: number }) {
  return useMemo(() => {
    const { span, lines, marks, limit, top, shape, format } = data;
    const frame = frameOf(data, width);
    return (
      <>
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line x1={frame.left} x2={width} y1={frame.y(value)} y2={frame.y(value)} className="stroke-line" />
            <text x={frame.left - 8} y={frame.y(value) + 4} textAnchor="end" className="fill-muted text-[0.6875rem]">
              {format(value)}
            </text>
          </g>
        ))}
        <TimeAxis span={span} frame={frame} />
        {markLines(marks).map(({ at, tone }) => (
          <line
            key={at}
            x1={frame.x(at)}
            x2={frame.x(at)}
            y1={roomAbove}
            y2={ground}
            className={tone}
            strokeDasharray="2 3"
          />
        ))}
        {lines.map((line) => (
          <LineSeries key={line.name} line={line} data={data} frame={frame} />
        ))}
        {shape === 'line' && limit !== null && limit <= top && (
          <line
            x1={frame.left}
            x2={width}
            y1={frame.y(limit)}
            y2={frame.y(limit)}
            className="stroke-brass"
            strokeWidth="1.5"
            strokeDasharray="6 4"
          />
        )}
      </>
    );
  }, [data, width]);
}

function TimeAxis({ span, frame }: { span: Span; frame: Frame }) {
  const { ticks, label } = axisTime(span, Math.max(2, Math.floor(frame.width / 76)), shownLanguage.get());
  return ticks.map((tick) => {
    const x = frame.x(tick);
    const isFirst = x - frame.left < 16;
    const isLast = frame.left + frame.width - x < 16;
    return (
      <text
        key={tick}
        x={isFirst ? frame.left : isLast ? frame.left + frame.width : x}
        y={height - 4}
        textAnchor={isFirst ? 'start' : isLast ? 'end' : 'middle'}
        className="fill-muted text-[0.6875rem]"
      >
        {label(tick)}
      </text>
    );
  });
}

function LineSeries({ line, data, frame }: { line: Line; data: ChartData; frame: Frame }) {
  const fade = useId();
  const { times, shape } = data;
  const tone = tones[line.tone];
  if (shape === 'bars') {
    const wide = Math.max(2, Math.min(14, (frame.width / times.length) * 0.7));
    return line.values.map((value, index) => {
      if (!value) return null;
      const x = Math.min(frame.left + frame.width - wide, Math.max(frame.left, frame.x(times[index]!) - wide / 2));
      return (
        <rect
          key={times[index]}
          x={x}
          y={frame.y(value)}
          width={wide}
          height={ground - frame.y(value)}
          rx="1.5"
          className={tone.area}
        />
      );
    });
  }
  const spots = line.values.map((value, index) => ({
    x: frame.x(times[index]!),
    y: value === null ? null : frame.y(value),
  }));
  const { line: path, area, dots } = drawnOf(spots, ground);
  return (
    <>
      <linearGradient id={fade} x1="0" x2="0" y1="0" y2="1">
        <stop
          offset="0"
          className={line.tone === 'accent' ? '[stop-color:var(--accent)]' : '[stop-color:var(--info)]'}
          stopOpacity="0.26"
        />
        <stop
          offset="1"
          className={line.tone === 'accent' ? '[stop-color:var(--accent)]' : '[stop-color:var(--info)]'}
          stopOpacity="0.04"
        />
      </linearGradient>
      <path d={area} fill={`url(#${CSS.escape(fade)})`} />
      <path
        d={path}
        fill="none"
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
        className={tone.line}
      />
      {dots.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2.5" className={tone.dot} data-dot />
      ))}
    </>
  );
}

function Cursor({ data, frame, index }: { data: ChartData; frame: Frame; index: number }) {
  const at = data.times[index];
  if (at === undefined) return null;
  const x = frame.x(at);
  return (
    <>
      <line x1={x} x2={x} y1={roomAbove - 4} y2={ground} className="stroke-ink" strokeOpacity="0.55" />
      {data.shape === 'line' &&
        data.lines.map(({ name, values, tone }) => {
          const value = values[index];
          if (value === null || value === undefined) return null;
          return (
            <circle
              key={name}
              cx={x}
              cy={frame.y(value)}
              r="4"
              strokeWidth="2"
              className={`stroke-surface ${tones[tone].dot}`}
            />
          );
        })}
    </>
  );
}
