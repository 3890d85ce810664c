// One proxied of a page in a browser of its own, over a slow line (1.6 Mbit/s, 150 ms) and with a
// processor that is four times slower: when its largest part was there, how long it could not be
// used, how far things moved.
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';

const slowLine = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const slowdown = 4;
/** A task up to here is none that anybody notices. */
const shortTaskMs = 50;
/** A page that nothing large is added to for so long is there. */
const quietMs = 3_000;

export interface PageLoad {
  /** Largest contentful paint. */
  lcpMs: number;
  /** What tasks after the first paint take above 50 ms: processor time of the page's thread, which
   * other programs don't lengthen. */
  tbtMs: number;
  /** The same by the clock. */
  wallTbtMs: number;
  /** Sum of all layout shifts. */
  cls: number;
}

export interface Visitor {
  address: string;
  /** Value of the session's cookie. */
  token: string;
}

/** Runs in the page, before anything else. */
const observe = `
  globalThis.seen = { fcp: 0, lcp: 0, cls: 0, tasks: [] };
  const watch = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  watch('paint', (entry) => { if (entry.name === 'first-contentful-paint') seen.fcp = entry.startTime; });
  watch('largest-contentful-paint', (entry) => { seen.lcp = entry.startTime; });
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.cls += entry.value; });
  watch('longtask', (entry) => seen.tasks.push({ at: entry.startTime, ms: entry.duration }));
`;

interface Seen {
  fcp: number;
  lcp: number;
  cls: number;
  tasks: { at: number; ms: number }[];
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  /** Processor time in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

export async function loadPage(browser: Browser, { address, token }: Visitor): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const { origin } = new URL(address);
    await context.addCookies([
      { name: 'botel_session', value: token, url: origin, httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    await page.addInitScript(observe);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slowLine);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const trace = await startTrace(session);
    await page.goto(address, { waitUntil: 'commit' });
    const look = async () => (await page.evaluate('seen')) as Seen;
    let seen = await look();
    for (let since = performance.now(), last = 0; seen.lcp === 0 || performance.now() - since < quietMs; ) {
      await delay(250);
      seen = await look();
      const newest = Math.max(seen.lcp, seen.tasks.at(-1)?.at ?? 0);
      if (newest !== last) since = performance.now();
      last = newest;
    }
    const wall = seen.tasks.filter(({ at }) => at >= seen.fcp).reduce((sum, { ms }) => sum + ms - shortTaskMs, 0);
    return { lcpMs: seen.lcp, cls: seen.cls, wallTbtMs: wall, tbtMs: blockedMs(await trace.end()) };
  } finally {
    await context.close();
  }
}

async function startTrace(session: CDPSession): Promise<{ end(): Promise<TraceEvent[]> }> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['disabled-by-default-devtools.timeline', 'loading', '__metadata'],
      excludedCategories: ['*'],
    },
  });
  return {
    async end() {
      const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
      await session.send('Tracing.end');
      await complete;
      return events;
    },
  };
}

function blockedMs(events: TraceEvent[]): number {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const firstPaint = events.find(({ name }) => name === 'firstContentfulPaint')?.ts ?? 0;
  return events
    .filter(({ name, ts }) => name === 'RunTask' && ts >= firstPaint)
    .filter(({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid))
    .reduce((sum, { tdur = 0 }) => sum + Math.max(0, tdur / 1000 - shortTaskMs), 0);
}
