// SIGKILL of the control plane, started again at once: how long until all bots are adopted, i.e.
// shown as online after a look of the new process, with lines in their history that were printed
// after the kill.
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Product } from './product.ts';
import { median } from './statistics.ts';
import { until } from './until.ts';

const bots = 20;
const rounds = 20;
const command = 'node -e "setInterval(() => console.log(Date.now()), 100)"';

export async function measureAdoption(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const ids = await Promise.all(Array.from({ length: bots }, () => product.createBot(command)));
  await Promise.all(ids.map((id) => product.startBot(id)));
  const listening: number[] = [];
  const adopted: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const killedAt = Date.now();
    const began = performance.now();
    await product.kill('SIGKILL');
    await product.start();
    listening.push(performance.now() - began);
    await allAdopted(product, ids, killedAt);
    adopted.push(performance.now() - began);
  }
  await environment.close(product);
  return [
    {
      what: `SIGKILL to ${bots} bots adopted, ms`,
      samples: rounds,
      botel: median(adopted),
      beside: null,
      aim: { atMost: 2000 },
      note: `listens after ${median(listening).toFixed(0)} ms`,
    },
  ];
}

async function allAdopted(product: Product, ids: string[], killedAt: number): Promise<void> {
  await until('every bot was looked at', async () => {
    const shown = await product.client.bots();
    return shown.every(({ status, observed_at }) => status === 'online' && Date.parse(observed_at ?? '') > killedAt);
  });
  await Promise.all(ids.map((id) => until('its log goes on', () => hasNewLine(product, id, killedAt))));
}

async function hasNewLine(product: Product, botId: string, after: number): Promise<boolean> {
  const { data } = await product.client.call<{ lines: { ts: string }[] }>('GET', `/bots/${botId}/logs?limit=1`);
  return Date.parse(data.lines.at(-1)?.ts ?? '') > after;
}
