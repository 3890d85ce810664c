// The timeline of a bot: when it was online, with a marker per start, exit, build and backup that
// explains itself on hover and focus.
import { type KeyboardEvent, useRef, useState } from 'react';
import { Card } from '../kit/card.tsx';
import { classes } from '../lib/classes.ts';
import { formatMoment } from '../lib/format.ts';
import type { ValueStore } from '../lib/value-store.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { markColours, markIcons, markWords } from './mark-styles.tsx';
import { countsOf, groupsOf, type Mark, type MarkGroup } from './marks.ts';
import { placeOf, type Span } from './scale.ts';
import { useWidth } from './use-width.ts';

interface TimelineProps {
  marks: readonly Mark[];
  online: readonly Span[];
  span: Span;
  /** Part of the time, in words. */
  /** Null = not known yet. */
  uptime: string | null;
  cursor: ValueStore<number | null>;
}

const signPx = 28;
/** A group of up to this many is listed one by one. */
const maxSaid = 3;

export function Timeline({ marks, online, span, uptime, cursor }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [said, setSaid] = useState<MarkGroup | null>(null);
  const groups = width > 0 ? groupsOf(marks, span, signPx / width) : [];
  const point = (group: MarkGroup | null) => {
    setSaid(group);
    cursor.set(group?.marks.at(-1)?.at ?? null);
  };
  const all = countsOf(marks).map(([type, count]) => t('metrics.mark_count', { type: markWords(type), count }));
  return (
    <Card title={t('metrics.happened')} lead={[...(uptime === null ? [] : [uptime]), ...all].join(' · ')}>
      <div ref={box} className="relative h-10">
        <div className="absolute inset-x-0 bottom-0 h-2.5 overflow-hidden rounded-full bg-sunken" aria-hidden>
          {online.map(({ from, to }) => (
            <div
              key={from}
              className="absolute inset-y-0 min-w-0.5 bg-good"
              style={{
                insetInlineStart: `${placeOf(from, span) * 100}%`,
                width: `${(placeOf(to, span) - placeOf(from, span)) * 100}%`,
              }}
            />
          ))}
        </div>
        {groups.length > 0 && (
          <div role="toolbar" tabIndex={-1} aria-label={t('metrics.happened')} onKeyDown={moveAmong}>
            {groups.map((group, index) => (
              <Sign key={group.marks[0]?.at} group={group} isStop={index === groups.length - 1} onPoint={point} />
            ))}
          </div>
        )}
      </div>
      {groups.length > 0 && (
        <p className="mt-2 min-h-5 text-sm text-muted" aria-hidden data-said>
          {said ? wordsOf(said) : t('metrics.happened_hint')}
        </p>
      )}
    </Card>
  );
}

interface SignProps {
  group: MarkGroup;
  /** The one in the tab order. */
  isStop: boolean;
  onPoint: (group: MarkGroup | null) => void;
}

function Sign({ group, isStop, onPoint }: SignProps) {
  const Icon = markIcons[group.kind];
  const count = group.marks.length;
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      aria-label={count > 1 ? `${count}: ${wordsOf(group)}` : wordsOf(group)}
      onPointerEnter={() => onPoint(group)}
      onPointerLeave={() => onPoint(null)}
      onFocus={() => onPoint(group)}
      onBlur={() => onPoint(null)}
      className={classes(
        'absolute top-0 inline-flex h-6 min-w-6 items-center justify-center gap-0.5 rounded-md hover:bg-sunken',
        markColours[group.kind],
      )}
      style={{ insetInlineStart: `clamp(0px, calc(${group.position * 100}% - 12px), calc(100% - 24px))` }}
    >
      <Icon className="size-3.5" aria-hidden />
      {count > 1 && <span className="text-[0.625rem] leading-none font-semibold tabular-nums">{count}</span>}
    </button>
  );
}

/** `14:03:22 Crashed`; for large groups the counts and their time span. */
function wordsOf({ marks }: MarkGroup): string {
  const language = shownLanguage.get();
  if (marks.length <= maxSaid)
    return marks.map(({ at, type }) => `${formatMoment(at, language)} ${markWords(type)}`).join(' · ');
  const [from, to] = [marks[0]!.at, marks.at(-1)!.at].map((at) => formatMoment(at, language));
  const counts = countsOf(marks).map(([type, count]) => t('metrics.mark_count', { type: markWords(type), count }));
  return `${from} – ${to}: ${counts.join(', ')}`;
}

function moveAmong(event: KeyboardEvent<HTMLDivElement>): void {
  const signs = [...event.currentTarget.querySelectorAll('button')];
  const at = signs.findIndex((sign) => sign === event.target);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: signs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  signs[to]?.focus();
}
