// Arithmetic of usage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuPercentOf, onlineMs, type UsageSample, UsageSum } from './usage.ts';

test('processor time in percent of the own share', () => {
  assert.equal(cpuPercentOf(5_000_000, 10_000, 1), 50);
  assert.equal(cpuPercentOf(5_000_000, 10_000, 0.5), 100);
  assert.equal(cpuPercentOf(12_345, 10_000, 0.25), 0.5);
  assert.equal(cpuPercentOf(-5, 10_000, 1), 0, 'a counter that went back');
  assert.equal(cpuPercentOf(5, 0, 1), null);
  assert.equal(cpuPercentOf(5, -1, 1), null);
});

const sample: UsageSample = {
  at: 0,
  run: 1,
  cpuPercent: 10,
  memoryBytes: 100,
  memoryPeakBytes: null,
  pids: 3,
  netRxBytes: 1000,
  netTxBytes: null,
};

test('a span has the average of the processor, the most of memory and processes, the sum of bytes', () => {
  const sum = new UsageSum();
  sum.add({ ...sample, cpuPercent: null }, { netRxBytes: null, netTxBytes: null });
  sum.add(sample, { netRxBytes: 5, netTxBytes: null });
  sum.add({ ...sample, run: 2, cpuPercent: 20, memoryBytes: 50, pids: null }, { netRxBytes: 7, netTxBytes: null });
  const known = { cpuPercent: 15, memoryBytes: 100, pids: 3, netRxBytes: 12, netTxBytes: null };
  assert.deepEqual(sum.span('b', 9), { botId: 'b', run: 2, diskBytes: 9, ...known });
});

test('time online is what runs and the range have in common', () => {
  const runs = [
    { startedAt: 0, endedAt: 15 },
    { startedAt: 20, endedAt: 30 },
    { startedAt: 90, endedAt: null },
    { startedAt: 200, endedAt: null },
  ];
  assert.equal(onlineMs(runs, 10, 100), 5 + 10 + 10);
});
