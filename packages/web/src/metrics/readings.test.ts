// Stored and live metrics as drawn, their summaries, and the CSV.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsData, UsageNowData } from '@botel/contract/metrics';
import { csvOf, liveReadings, storedReadings, summaryOf, valuesOf } from './readings.ts';

const noon = Date.UTC(2026, 0, 31, 12);
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();

const point = (minute: number, cpu: number | null) => ({
  at: at(minute * 60),
  cpu_percent: cpu,
  memory_mb: cpu,
  disk_used_bytes: null,
  net_rx_bytes: cpu === null ? null : 600,
  net_tx_bytes: null,
  pids: 3,
  restarts: 1,
});
const stored = (...points: ReturnType<typeof point>[]) => ({ step_seconds: 60, points }) as MetricsData;
const look = (seconds: number, received: number) =>
  ({
    at: at(seconds),
    cpu_percent: 1,
    memory_mb: 2,
    disk_used_bytes: 3,
    net_rx_bytes: received,
    pids: 1,
  }) as UsageNowData;

test('stored bytes become rates, a gap stays a gap, and nothing is drawn before the bot was made', () => {
  const readings = storedReadings(stored(point(0, 10), point(1, null), point(2, 30)), noon + 60_000);
  assert.deepEqual(valuesOf(readings, 'cpu'), [null, 30]);
  assert.deepEqual(valuesOf(readings, 'received'), [null, 10]);
});

test('live metrics continue where stored ones end; a pause is a gap, a counter reset has no rate', () => {
  const minutes = storedReadings(stored(point(0, 10), point(1, 20), point(2, 30)), 0);
  const live = [look(125, 100), look(135, 300), look(145, 50), look(245, 90)];
  const readings = liveReadings(minutes, live, noon + 250_000);
  assert.deepEqual(
    readings.map((reading) => (reading.at - noon) / 1000),
    [0, 60, 125, 135, 145, 244.999, 245],
  );
  assert.deepEqual(valuesOf(readings, 'received'), [10, 10, 20, 20, null, null, null]);
  assert.deepEqual(valuesOf(readings, 'cpu'), [10, 20, 1, 1, 1, null, 1]);
});

test('after the last look at a bot that has ended there is a gap, and what is old goes', () => {
  const readings = liveReadings([], [look(0, 0), look(600, 0)], noon + 900_001);
  assert.deepEqual(valuesOf(readings, 'memory'), [null, 2, null]);
  assert.deepEqual(liveReadings([], [], noon), []);
});

test('a summary leaves gaps out', () => {
  const values = [null, ...Array.from({ length: 100 }, (_, index) => index + 1)];
  assert.deepEqual(summaryOf(values), { peak: 100, average: 50.5, p95: 95 });
  assert.equal(summaryOf([null]), null);
});

test('a table has a head, and nothing where nothing was measured', () => {
  const [head, first, second, end] = csvOf(storedReadings(stored(point(0, 10), point(1, null)), 0)).split('\n');
  assert.match(head ?? '', /^at,cpu_percent,memory_mb,/);
  assert.equal(first, '2026-01-31T12:00:00.000Z,10,10,,10,,3,1');
  assert.equal(second, '2026-01-31T12:01:00.000Z,,,,,,3,1');
  assert.equal(end, '');
});
