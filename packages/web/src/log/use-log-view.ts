// What the log panel shows of its session: filter, search, the line that is singled out, and how rows options.
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
  /** What is searched for, as far as it is drawn. */
  wanted: string;
  options: RowOptions;
  /** Number of the line that is singled out; null = none. */
  current: number | null;
  /** Singles a line out among its neighbours, and names it in the address. */
  show: (seq: number) => void;
  /** Singles none out. */
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

/** The same object until something of it changes: it decides whether chunks are drawn again. */
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
