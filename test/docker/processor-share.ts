// How much of a core a process takes, from the kernel's counters.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Part of a core, in percent, that the process takes in the next `forMs`. A tick of the counters
 * is 10 ms. */
export async function processorShare(pid: number, forMs: number): Promise<number> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const [before, began] = [ticks(), performance.now()];
  await delay(forMs);
  return Math.round(((ticks() - before) * 10_000) / (performance.now() - began)) / 10;
}
