// The state of the log panel: filter, search, selected line, and row options.
import { useCallback, useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import { useNow } from '../kit/time.tsx';
import { type LogFilter, noFilter } from './log-filter.ts';
import type { RowOptions } from './log-rows.tsx';
import { logSettings } from './log-settings.ts';
import { type LogPosition, type OpenLog, useLogSession } from './use-log-session.ts';
import { type LogSearch, useSearch } from './use-search.ts';

const relativeStepMs = 15_000;

export interface LogView extends OpenLog {
  filter: LogFilter;
  setFilter: (filter: LogFilter) => void;
  search: LogSearch;
  /** The deferred search text. */
  wanted: string;
  options: RowOptions;
  /** Number of the selected line; null = none. */
  current: number | null;
  /** Selects a line in its context, and puts it into the URL. */
  show: (seq: number) => void;
  /** Deselects the line. */
  letGo: () => void;
}

export function useLogView(botId: string, position: LogPosition): LogView {
  const { session, scroller } = useLogSession(botId, position);
  const [filter, setFilter] = useState<LogFilter>({ ...noFilter, run: position.run ?? null });
  const target = useSyncExternalStore(session.target.subscribe, session.target.get);
  const shownFilter = useDeferredValue(filter);
  const search = useSearch(session.store, filter);
  const wanted = useDeferredValue(search.text);
  const linkTo = useCallback((seq: number) => `/dashboard/bots/${botId}?at=${seq}`, [botId]);
  const show = useCallback(
    (seq: number) => {
      session.target.set(seq);
      setFilter(noFilter);
      scroller.goTo(seq);
      history.replaceState(history.state, '', linkTo(seq));
    },
    [session, scroller, linkTo],
  );
  const options = useRowOptions(shownFilter, { linkTo, show, fillGap: session.fillGap });
  const letGo = () => {
    session.target.set(null);
    search.leave();
  };
  const current = search.current ?? target;
  return { session, scroller, filter, setFilter, search, wanted, options, current, show, letGo };
}

/** The same object until it changes: chunks re-render with it. */
function useRowOptions(
  filter: LogFilter,
  { linkTo, show, fillGap }: Pick<RowOptions, 'linkTo' | 'show' | 'fillGap'>,
): RowOptions {
  const settings = useSyncExternalStore(logSettings.subscribe, logSettings.get);
  const time = useNow();
  const now = settings.stamps === 'relative' ? Math.ceil(time / relativeStepMs) * relativeStepMs : 0;
  return useMemo(
    () => ({ ...settings, filter, now, linkTo, show, fillGap }),
    [settings, filter, now, linkTo, show, fillGap],
  );
}
