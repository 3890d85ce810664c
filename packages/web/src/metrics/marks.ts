// Markers of a bot's charts: starts, exits, builds and backups, grouped where they are dense, and
// the spans it was online. Pure.
import type { MetricsData } from '@botel/contract/metrics';
import type { Reading } from './readings.ts';
import { placeOf, type Span } from './scale.ts';

export type MarkKind = 'start' | 'failure' | 'end' | 'build' | 'backup';

/** `at` in ms; `type` as the API names it. */
export interface Mark {
  at: number;
  type: string;
  kind: MarkKind;
}

const kinds: Record<string, MarkKind> = {
  started: 'start',
  stopped: 'end',
  killed: 'end',
  exited: 'end',
  interrupted: 'end',
  built: 'build',
  backup: 'backup',
  restored: 'backup',
};

export function marksOf({ markers }: MetricsData, { from, to }: Span): Mark[] {
  return markers
    .map(({ at, type }) => ({ at: Date.parse(at), type, kind: kinds[type] ?? ('failure' as const) }))
    .filter(({ at }) => at >= from && at <= to);
}

/** Marks that stand together, oldest first. */
export interface MarkGroup {
  /** Between 0 and 1. */
  position: number;
  marks: Mark[];
  /** The most severe kind. */
  kind: MarkKind;
}

const gravity: MarkKind[] = ['failure', 'end', 'start', 'build', 'backup'];

/** Groups at least `apart` (a fraction of the width) from each other. */
export function groupsOf(marks: readonly Mark[], span: Span, apart: number): MarkGroup[] {
  const groups: MarkGroup[] = [];
  for (const mark of marks) {
    const position = placeOf(mark.at, span);
    const last = groups.at(-1);
    if (last && position - last.position < apart) last.marks.push(mark);
    else groups.push({ position, marks: [mark], kind: mark.kind });
  }
  for (const group of groups)
    group.kind = gravity.find((kind) => group.marks.some((mark) => mark.kind === kind)) ?? group.kind;
  return groups;
}

/** Count by type, in order of first occurrence. */
export function countsOf(marks: readonly Mark[]): [type: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { type } of marks) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts];
}

/** Spans with readings, which exist while the bot runs. `stepMs`: how long the last one counts. */
export function onlineSpans(readings: readonly Reading[], stepMs: number): Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const [index, { at, memory }] of readings.entries()) {
    const until = readings[index + 1]?.at ?? at + stepMs;
    if (memory === null) open = null;
    else if (open) open.to = until;
    else spans.push((open = { from: at, to: until }));
  }
  return spans;
}
