// Icons, colours and names of markers.
import { Archive, CircleStop, Hammer, Play, TriangleAlert } from 'lucide-react';
import { isTextKey, t } from '../texts/text.ts';
import type { Mark, MarkKind } from './marks.ts';

export const markIcons = { start: Play, failure: TriangleAlert, end: CircleStop, build: Hammer, backup: Archive };

export const markColours: Record<MarkKind, string> = {
  start: 'text-good',
  failure: 'text-bad',
  end: 'text-muted',
  build: 'text-brass',
  backup: 'text-info',
};

const strokes: Record<MarkKind, string> = {
  start: 'stroke-good',
  failure: 'stroke-bad',
  end: 'stroke-muted',
  build: 'stroke-brass',
  backup: 'stroke-info',
};

/** More lines would hide the chart. */
const maxLines = 40;

/** The marker lines of a chart: if there are many, only the newest failures. */
export function markLines(marks: readonly Mark[]): { at: number; tone: string }[] {
  const shown = marks.length > maxLines ? marks.filter(({ kind }) => kind === 'failure').slice(-maxLines) : marks;
  const lines = new Map(shown.map(({ at, kind }) => [at, strokes[kind]]));
  return [...lines].map(([at, tone]) => ({ at, tone }));
}

/** The name of a marker: `Crashed`. */
export function markWords(type: string): string {
  const key = `metrics.mark.${type}`;
  return isTextKey(key) ? t(key) : type;
}
