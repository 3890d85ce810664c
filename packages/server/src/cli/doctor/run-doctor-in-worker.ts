// Runs the doctor from inside a running server, in a worker thread with a time limit.
import { Worker } from 'node:worker_threads';
import type { Config } from '../../core/config/config.ts';
import { fix, warn } from './check.ts';
import { type Checked, checkNames } from './examine.ts';

const usualLimitMs = 30_000;
const memoryMb = 128;

/** A running examination. `ended`: the worker is gone, which may be later than its findings. */
export interface Examination {
  findings: Promise<Checked[]>;
  ended: Promise<void>;
}

/** A check that did not end in time is also a finding. */
export function runDoctorInWorker(config: Config, limitMs = usualLimitMs): Examination {
  const found: Checked[] = [];
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: config,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // A stopping server does not wait for it.
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
