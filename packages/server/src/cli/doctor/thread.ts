// The thread in which a running server has itself examined: what a check keeps busy is not the
// thread that answers requests.
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../core/config/config.ts';
import { examine } from './examine.ts';

await examine(workerData as Config, (findings) => parentPort?.postMessage(findings, []));
