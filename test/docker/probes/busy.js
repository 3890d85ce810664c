// A bot that computes on four threads and tells after two seconds of wall time how much processor time it got.
import { Worker } from 'node:worker_threads';
import { cpuUse } from './cgroup.js';

const workers = Array.from({ length: 4 }, () => new Worker('for (;;) {}', { eval: true }));
const began = performance.now();
const before = cpuUse();
setTimeout(() => {
  const after = cpuUse();
  const wallMicros = (performance.now() - began) * 1000;
  const report = {
    share: (after.usedMicros - before.usedMicros) / wallMicros,
    throttled: after.throttled - before.throttled,
  };
  console.log(JSON.stringify(report));
  // Told: no more of the machine's time is needed.
  for (const worker of workers) worker.terminate();
}, 2000);
