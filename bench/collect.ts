// What the collector of numbers costs with 50 running bots, and what the whole control plane does
// meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.ts';
import type { CollectorAnswer, CollectorOrder } from './collector.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import { median } from './statistics.ts';

const bots = 50;
const rounds = 10;
/** A minute of looks: what is stored once a minute is counted too. */
const looks = 6;
const everyMs = 10_000;
const quietMs = 60_000;

export async function measureCollector(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const ids = await Promise.all(Array.from({ length: bots }, () => product.createBot('sleep 100000')));
  await Promise.all(ids.map((id) => product.startBot(id)));
  await delay(everyMs);
  const before = product.cpuMs();
  await delay(quietMs);
  const whole = (product.cpuMs() - before) / quietMs;
  await product.kill('SIGTERM');
  const perLook = await measureLooks(product.dataDirectory);
  await environment.close(product);
  return [
    {
      what: `collector, ${bots} bots, % of a core`,
      samples: rounds * looks,
      botel: (median(perLook) / everyMs) * 100,
      beside: null,
      aim: { atMost: 1.25 },
      note: `${median(perLook).toFixed(1)} ms for a look at all, every 10 s; the whole control plane: ${(whole * 100).toFixed(1)} %`,
    },
  ];
}

/** The first round, in which code is compiled, does not count. */
async function measureLooks(dataDirectory: string): Promise<number[]> {
  using collector = new Child<CollectorOrder, CollectorAnswer>('collector.ts');
  const perLook: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { perLookMs, seen } = await collector.ask({ dataDirectory, looks });
    if (seen !== bots) throw new Error(`The collector saw ${seen} of ${bots} bots`);
    if (round > 0) perLook.push(perLookMs);
  }
  return perLook;
}
