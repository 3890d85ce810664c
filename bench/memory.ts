// Resident memory of the control plane: idle, and what each running bot adds.
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Product } from './product.ts';
import { median } from './statistics.ts';

const bots = 50;
const samples = 20;
const restMs = 5000;
const sampleEveryMs = 100;

export async function measureMemory(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const idle = await restingMb(product);
  const ids = await Promise.all(Array.from({ length: bots }, () => product.createBot('sleep 100000')));
  await Promise.all(ids.map((id) => product.startBot(id)));
  const busy = await restingMb(product);
  await environment.close(product);
  return [
    { what: 'resident memory, idle, MB', samples, botel: idle, beside: null, aim: { atMost: 120 } },
    {
      what: `resident memory per running bot, MB`,
      samples,
      botel: (busy - idle) / bots,
      beside: null,
      aim: { atMost: 0.5 },
      note: `${bots} bots, their start included: ${busy.toFixed(0)} MB`,
    },
  ];
}

/** Resident memory after some seconds of rest, in MB. */
export async function restingMb(product: Product): Promise<number> {
  await delay(restMs);
  const values: number[] = [];
  for (let count = 0; count < samples; count++) {
    values.push(product.residentMb());
    await delay(sampleEveryMs);
  }
  return median(values);
}
