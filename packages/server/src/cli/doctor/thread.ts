// The doctor's worker thread: blocking checks do not block the thread that answers requests.
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../core/config/config.ts';
import { examine } from './examine.ts';

await examine(workerData as Config, (findings) => parentPort?.postMessage(findings, []));
