// The longest task of a page, by CPU time of its main thread, which other load on the machine does
// not change.
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time of the thread, in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

/**
 * Runs `work` while the processor of the page is `slowdown` times slower; resolves with the longest
 * task in ms.
 */
export async function longestTask(page: Page, slowdown: number, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['disabled-by-default-devtools.timeline', '__metadata'],
      excludedCategories: ['*'],
    },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
  const pages = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'RunTask' && pages.some((thread) => thread.pid === pid && thread.tid === tid),
  );
  if (tasks.length === 0) throw new Error('the trace holds no task of the page');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000;
}
