// Examines the machine from inside of a running server, in a thread of its own and for a limited
// time.
import { Worker } from 'node:worker_threads';
import type { Config } from '../../core/config/config.ts';
import { fix, warn } from './check.ts';
import { type Checked, checkNames } from './examine.ts';

const usualLimitMs = 30_000;
const memoryMb = 128;

/** An examination under way. `ended`: nothing of it is left, which may be later than its
 * findings. */
export interface Examination {
  findings: Promise<Checked[]>;
  ended: Promise<void>;
}

/** What did not end in time is a finding too. */
export function runDoctorInWorker(config: Config, limitMs = usualLimitMs): Examination {
  const found: Checked[] = [];
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: config,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // A server that ends does not wait for it.
  worker.unref();
  worker.on('message', (findings: Checked[]) => found.push(...findings));
  const { promise: findings, resolve } = Promise.withResolvers<Checked[]>();
  const timer = setTimeout(() => {
    resolve([...found, ...missingOf(found, limitMs)]);
    void worker.terminate();
  }, limitMs).unref();
  worker.once('error', (error: Error) => {
    const broken = fix(`the examination broke: ${error.message}`, 'Run ./botel doctor on the server.');
    resolve([{ check: 'program', ...broken }, ...found]);
  });
  const ended = new Promise<void>((gone) => {
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve(found);
      gone();
    });
  });
  return { findings, ended };
}

function missingOf(found: Checked[], limitMs: number): Checked[] {
  const done = new Set(found.map(({ check }) => check));
  const late = warn(`not known: it takes longer than ${limitMs / 1000} s`, 'Run ./botel doctor on the server.');
  return checkNames.filter((name) => !done.has(name)).map((check) => ({ check, ...late }));
}
