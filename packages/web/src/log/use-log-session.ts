// One log session per bot and page. Starts at the line or run named in the URL.
import { useEffect, useState } from 'react';
import { LogScroller } from './log-scroller.ts';
import { LogSession } from './log-session.ts';

/** Maximum number of rows; fewer in browsers that can't skip off-screen chunks cheaply. */
function rowCap(): number {
  return matchMedia('(pointer: coarse)').matches || !CSS.supports('content-visibility', 'auto') ? 2000 : 5000;
}

export interface OpenLog {
  session: LogSession;
  scroller: LogScroller;
}

/** `at`: number of the line to start at. `run`: start at the end of that run. */
export interface LogPosition {
  at: number | undefined;
  run: number | undefined;
}

export function useLogSession(botId: string, { at, run }: LogPosition): OpenLog {
  const [log] = useState<OpenLog>(() => {
    const session = new LogSession(botId, rowCap());
    return { session, scroller: new LogScroller(session.store) };
  });
  useEffect(() => {
    const over = new AbortController();
    void beginAt(log, { at, run }).then(() => log.session.follow(over.signal));
    return () => over.abort();
  }, [log, at, run]);
  return log;
}

async function beginAt({ session, scroller }: OpenLog, { at, run }: LogPosition): Promise<void> {
  if (at === undefined && run !== undefined) {
    scroller.letGo();
    const last = await session.loadRun(run);
    return last === null ? scroller.toEnd() : scroller.goTo(last);
  }
  if (at === undefined || session.target.get() === at) return;
  scroller.letGo();
  if (await session.loadAround(at)) {
    session.target.set(at);
    scroller.goTo(at);
  } else scroller.toEnd();
}
