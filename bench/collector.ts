// A process that lets the collector of numbers look at running bots again and again, over the
// database of a Botel that is stopped, and tells how much processor time that takes. A clock of its
// own goes ten seconds on at each look.
import { ControlGroups } from '../packages/server/src/agent/engine/docker/cgroup.ts';
import { ManualClock } from '../packages/server/test/support/manual-clock.ts';
import { Database } from '../packages/server/src/core/store/database.ts';
import { UsageStore } from '../packages/server/src/core/store/usage.ts';
import { UsageCache } from '../packages/server/src/core/store/usage-cache.ts';
import { collectUsage } from '../packages/server/src/agent/tasks/collect-usage.ts';
import { answerOrders } from './child.ts';

export interface CollectorOrder {
  dataDirectory: string;
  looks: number;
}

export interface CollectorAnswer {
  /** Processor time of one look at all bots, all threads together, in ms. */
  perLookMs: number;
  /** Bots with numbers after the last look. */
  seen: number;
}

const everyMs = 10_000;

answerOrders<CollectorOrder, CollectorAnswer>(async ({ dataDirectory, looks }) => {
  const database = await Database.open(dataDirectory);
  const usage = new UsageStore(database);
  const usageCache = new UsageCache();
  const clock = new ManualClock(Date.now());
  const groups = new ControlGroups();
  const [collect] = collectUsage({
    engine: { usage: (containerId) => groups.usage(containerId) },
    files: { used: async () => ({ bytes: 0, files: 0 }) },
    bots: { ids: async () => [] },
    usage,
    usageCache,
    levels: { note: async () => {}, keep: () => {} },
    clock,
  });
  if (!collect) throw new Error('There is no collector');
  const began = process.cpuUsage();
  for (let look = 0; look < looks; look++) {
    clock.advance(everyMs);
    await collect.run();
  }
  const { user, system } = process.cpuUsage(began);
  const seen = (await usage.running()).filter(({ id, run }) => usageCache.sample(id, run) !== null).length;
  await database.close();
  return { perLookMs: (user + system) / 1000 / looks, seen };
});
