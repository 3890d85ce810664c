// The log of a bot: toolbar, lines and overlays. The lines are in the session's store.
import { ArrowDown } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { toastSuccess } from '../kit/toast.tsx';
import { classes } from '../lib/classes.ts';
import { loadLazyTexts, t } from '../texts/text.ts';
import { ConnectionLine } from './connection-line.tsx';
import type { LineStore } from './line-store.ts';
import { LineBar } from './line-bar.tsx';
import { isFiltered, type LogFilter, passes, runsOf } from './log-filter.ts';
import { logMenu } from './log-menu.ts';
import { Chunk, type RowOptions } from './log-rows.tsx';
import type { LogScroller } from './log-scroller.ts';
import type { LogSession } from './log-session.ts';
import type { LogRow } from './log-row.ts';
import { LogToolbar } from './log-toolbar.tsx';
import { OlderLines } from './older-lines.tsx';
import { useLogKeys } from './use-log-keys.ts';
import type { LogPosition, OpenLog } from './use-log-session.ts';
import { useLogView } from './use-log-view.ts';
import { hitsIn } from './use-search.ts';
import { lazyPart } from '../lib/lazy-part.ts';

interface PanelProps {
  botId: string;
  botName: string;
  /** Where to start. */
  position: LogPosition;
  onRestart: () => void;
}

const DownloadDialog = lazy(async () => {
  const [{ DownloadDialog: component }] = await Promise.all([
    lazyPart(() => import('./download-dialog.tsx')),
    loadLazyTexts(),
  ]);
  return { default: component };
});

export function LogPanel({ botId, botName, position, onRestart }: PanelProps) {
  const searchField = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const view = useLogView(botId, position);
  const { session, scroller, filter, search, options, current, show } = view;
  useEffect(() => (box.current ? scroller.attach(box.current) : undefined), [scroller]);
  const isPaused = useSyncExternalStore(scroller.isPaused.subscribe, scroller.isPaused.get);
  const [isSaving, setSaving] = useState(false);
  useLogKeys({
    search: searchField,
    pause: () => scroller.togglePause(),
    follow: () => scroller.toEnd(),
    restart: onRestart,
  });
  return (
    <section
      aria-label={t('log.label')}
      className="flex min-h-0 flex-col rounded-card bg-[light-dark(var(--surface),var(--sunken))] shadow-card"
    >
      <LogToolbar
        search={search}
        searchField={searchField}
        onMove={(step) => {
          const seq = search.move(step);
          if (seq !== null) scroller.goTo(seq);
        }}
        onSearchOlder={() => void searchOlder(session, scroller, search.text)}
        onLeave={() => box.current?.focus()}
        filter={filter}
        setFilter={view.setFilter}
        store={session.store}
        isPaused={isPaused}
        togglePause={() => scroller.togglePause()}
        entries={logMenu({
          rows: () => shownRows(session.store, filter),
          clear: () => session.store.clear(),
          download: () => setSaving(true),
        })}
      />
      <div className="relative min-h-0 grow">
        <div
          ref={box}
          role="log"
          aria-live="off"
          aria-label={t('log.lines')}
          // A scrollable box must be reachable with the keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className={classes(
            'h-[70dvh] min-h-64 overflow-y-auto py-2 font-mono text-[0.8125rem] leading-5 focus-visible:outline-offset-[-2px] md:h-[max(20rem,calc(100dvh-22rem))]',
            options.wraps ? 'overflow-x-hidden' : 'overflow-x-auto',
          )}
        >
          <Lines log={view} options={options} wanted={view.wanted} current={current} />
        </div>
        <EndButton session={session} scroller={scroller} isPaused={isPaused} />
      </div>
      {current !== null && (
        <LineBar
          seq={current}
          link={options.linkTo(current)}
          isFiltered={isFiltered(filter)}
          onContext={() => show(current)}
          onClose={view.letGo}
        />
      )}
      <ConnectionLine session={session} />
      {isSaving && (
        <Suspense>
          <DownloadDialog
            botId={botId}
            botName={botName}
            run={filter.run}
            runs={runsOf(session.store.snapshot().chunks)}
            rows={() => shownRows(session.store, filter)}
            onClose={() => setSaving(false)}
          />
        </Suspense>
      )}
    </section>
  );
}

function shownRows(store: LineStore, filter: LogFilter): LogRow[] {
  return store.snapshot().chunks.flatMap((chunk) => chunk.rows.filter((row) => passes(row, filter)));
}

interface LinesProps {
  log: OpenLog;
  options: RowOptions;
  wanted: string;
  current: number | null;
}

/** The only part that re-renders when lines arrive. */
function Lines({ log: { session, scroller }, options, wanted, current }: LinesProps) {
  const { chunks } = useSyncExternalStore(session.store.subscribe, session.store.snapshot);
  const hits = hitsIn(chunks, options.filter, wanted);
  return (
    <div>
      <OlderLines session={session} scroller={scroller} isEmpty={chunks.length === 0} />
      {chunks.map((chunk) => (
        <Chunk
          key={chunk.key}
          chunk={chunk}
          options={options}
          wanted={hits.has(chunk) ? wanted : ''}
          current={current !== null && Math.floor(current / 100) === chunk.key ? current : null}
        />
      ))}
    </div>
  );
}

async function searchOlder(session: LogSession, scroller: LogScroller, wanted: string): Promise<void> {
  const seq = await session.findOlder(wanted);
  if (seq === null) return toastSuccess(t('log.older_none'));
  scroller.letGo();
  if (!(await session.loadAround(seq))) return;
  session.target.set(seq);
  scroller.goTo(seq);
}

/** Overlay while the view is held: the number of queued lines, and a button to the end. */
function EndButton({ session, scroller, isPaused }: { session: LogSession; scroller: LogScroller; isPaused: boolean }) {
  const { waiting } = useSyncExternalStore(session.store.subscribe, session.store.snapshot);
  const isFollowing = useSyncExternalStore(scroller.isFollowing.subscribe, scroller.isFollowing.get);
  if (waiting === 0 && isFollowing && !isPaused) return null;
  return (
    <button
      type="button"
      onClick={() => scroller.toEnd()}
      className="absolute inset-x-0 bottom-3 mx-auto flex h-9 w-max items-center gap-1.5 rounded-full bg-accent px-4 text-sm font-medium text-on-accent shadow-float touch:h-11"
    >
      {waiting > 0 ? t('log.waiting', { count: waiting }) : isPaused ? t('log.paused') : t('log.to_end')}
      <ArrowDown className="size-4" aria-hidden />
    </button>
  );
}
