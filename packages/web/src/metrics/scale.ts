// Positions in a chart: top of the axis, time ticks, paths of a line with its gaps. Pure.

/** What the numbers of a chart are: decides which steps of its axis are round. */
export type Unit = 'percent' | 'mb' | 'bytes' | 'count';

/**
 * From this fraction of the limit on, the axis goes up to the limit; smaller values would look
 * flat.
 */
const worthLimit = 0.2;
const roundSteps = [1, 2, 4, 5, 8, 10, 16, 20, 40, 50, 80, 100, 160, 200, 400, 500, 800, 1000];

/** The lowest top of an axis per unit. */
const minimums: Record<Unit, number> = { percent: 1, mb: 2, bytes: 1024, count: 2 };

/** The highest value that the axis shows. `always`: up to the limit, however little is used. */
export function topOf(peak: number, unit: Unit, { limit, always }: { limit: number | null; always: boolean }): number {
  if (limit !== null && peak <= limit && (always || peak >= limit * worthLimit)) return limit;
  return roundAbove(peak, unit);
}

function roundAbove(value: number, unit: Unit): number {
  const minimum = minimums[unit];
  if (value <= minimum) return minimum;
  const base = unit === 'bytes' ? 1024 : 1000;
  const size = base ** Math.floor(Math.log(value) / Math.log(base));
  const steps = unit === 'count' ? roundSteps.filter((step) => step % 2 === 0) : roundSteps;
  return (steps.find((step) => step * size >= value) ?? base) * size;
}

const minute = 60_000;
const hour = 60 * minute;
export const dayMs = 24 * hour;
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 6, 12].map((each) => each * hour),
  ...[1, 2, 5, 7].map((each) => each * dayMs),
];

/**
 * Round times between the two (ms), at most `most` of them. `offset`: ms that the reader's clock is
 * ahead of UTC.
 */
export function timeTicks({ from, to }: Span, maxCount: number, offset: number): { ticks: number[]; step: number } {
  const step = timeSteps.find((each) => (to - from) / each <= maxCount) ?? timeSteps.at(-1)!;
  const ticks: number[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) ticks.push(at);
  return { ticks, step };
}

export interface Span {
  from: number;
  to: number;
}

/** The position of a time between 0 and 1; 1/2 if there is only one. */
export function placeOf(at: number, { from, to }: Span): number {
  return to <= from ? 0.5 : Math.min(1, Math.max(0, (at - from) / (to - from)));
}

export interface Spot {
  x: number;
  /** null = a gap */
  y: number | null;
}

/**
 * `line` and `area` are paths of SVG; `dots` are values without a neighbour, which no line would
 * show.
 */
export interface Drawn {
  line: string;
  area: string;
  dots: { x: number; y: number }[];
}

/** A curve over the ground at `ground`; it breaks at gaps. */
export function drawnOf(spots: readonly Spot[], ground: number): Drawn {
  const drawn: Drawn = { line: '', area: '', dots: [] };
  for (let at = 0; at < spots.length; at++) {
    const piece: { x: number; y: number }[] = [];
    for (; at < spots.length; at++) {
      const { x, y } = spots[at]!;
      if (y === null) break;
      piece.push({ x, y });
    }
    const [first, last] = [piece[0], piece.at(-1)];
    if (!first || !last) continue;
    if (piece.length === 1) drawn.dots.push(first);
    else {
      const path = piece.map(({ x, y }) => `${px(x)} ${px(y)}`).join('L');
      drawn.line += `M${path}`;
      drawn.area += `M${px(first.x)} ${px(ground)}L${path}L${px(last.x)} ${px(ground)}Z`;
    }
  }
  return drawn;
}

function px(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** Index of the time that is nearest; -1 where there is none. `times` ascend. */
export function nearestTo(times: readonly number[], at: number): number {
  let best = -1;
  for (const [index, time] of times.entries())
    if (best === -1 || Math.abs(time - at) <= Math.abs(times[best]! - at)) best = index;
  return best;
}
