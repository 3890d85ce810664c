// A curve over time, drawn by uPlot in the colours of the theme. Gaps stay gaps. Must not say anything that its summary does not.
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shownLanguage } from '../texts/text.ts';
import type { Series } from './series.ts';

interface ChartProps {
  series: Series;
  /** A line that the curve should stay below. */
  limit: number | null;
  format: (value: number) => string;
}

const heightPx = 160;

export function Chart({ series, limit, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = draw(element, { series, limit, format });
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [series, limit, format]);
  return <div ref={place} style={{ height: heightPx }} aria-hidden />;
}

function draw(element: HTMLElement, { series, limit, format }: ChartProps): UPlot {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const time = new Intl.DateTimeFormat(shownLanguage.get(), { hour: '2-digit', minute: '2-digit' });
  const date = new Intl.DateTimeFormat(shownLanguage.get(), { day: 'numeric', month: 'short' });
  const isLong = (series.times.at(-1) ?? 0) - (series.times[0] ?? 0) > 2 * 24 * 3600;
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const accent = colour('--accent');
  return new UPlot(
    {
      width: element.clientWidth,
      height: heightPx,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(max, limit ?? 0, 1) * 1.05] } },
      axes: [
        { ...axis, values: (_plot, times) => times.map((at) => (isLong ? date : time).format(at * 1000)) },
        { ...axis, size: 72, values: (_plot, values) => values.map(format) },
      ],
      series: [
        {},
        { stroke: accent, width: 2, fill: `color-mix(in srgb, ${accent} 14%, transparent)`, spanGaps: false },
        { stroke: colour('--brass'), width: 1, dash: [6, 4] },
      ],
    },
    [series.times, series.values, series.times.map(() => limit)],
    element,
  );
}
