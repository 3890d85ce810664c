// Stored and live metrics as one series.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly, joinPoints, peakOf } from './metric-points.ts';

const point = (minute: number, cpu: number | null = minute) => ({
  at: new Date(Date.UTC(2026, 0, 31, 12, minute)).toISOString(),
  cpu_percent: cpu,
  memory_mb: null,
});

test('stored ones end where live ones begin', () => {
  const joined = joinPoints([point(1), point(2), point(3)], [point(3, 30), point(4)]);
  assert.deepEqual(
    joined.map((each) => each.cpu_percent),
    [1, 2, 30, 4],
  );
});

test('only the last quarter of an hour is kept', () => {
  assert.deepEqual(joinPoints([point(0), point(20)], [point(30)]).length, 2);
  assert.deepEqual(joinPoints([], []), []);
});

test('the peak leaves out what is unknown', () => {
  assert.equal(peakOf([point(1), point(2, null), point(3)], 'cpu_percent'), 3);
  assert.equal(peakOf([point(1)], 'memory_mb'), null);
});

test('a drawn curve has its points where they were in time, and gaps where nothing is known', () => {
  const points = [point(0, 99), point(20, 10), point(21, null), point(28), point(29, 5)];
  const now = Date.UTC(2026, 0, 31, 12, 30);
  const none = Array.from({ length: 7 }, () => null);
  const drawn = evenly(points, 'cpu_percent', now, 15);
  assert.deepEqual(drawn, [null, null, null, null, 10, ...none, 28, 5, 5]);
  assert.deepEqual(evenly([], 'cpu_percent', now, 2), [null, null]);
});
