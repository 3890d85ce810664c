// Times of charts, in the user's language and time zone.
import { dayMs, type Span, timeTicks } from './scale.ts';

/**
 * Ticks of an axis, and what stands at one: the time of day, or the day where it begins or ticks
 * are days apart.
 */
export function axisTime(
  span: Span,
  maxCount: number,
  language: string,
): { ticks: number[]; label: (at: number) => string } {
  const offset = -new Date(span.to).getTimezoneOffset() * 60_000;
  const { ticks, step } = timeTicks(span, maxCount, offset);
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const isDay = (at: number) => (at + offset) % dayMs === 0;
  return { ticks, label: (at) => (step >= dayMs || isDay(at) ? day : time).format(at) };
}

/**
 * A moment of a chart: the day where it is not today, hour and minute, seconds where they count.
 */
export function momentText(at: number, language: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, {
    ...(!isToday && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(at % 60_000 !== 0 && { second: '2-digit' }),
    hourCycle: 'h23',
  }).format(at);
}
