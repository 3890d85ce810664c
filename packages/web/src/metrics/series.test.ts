// Series, summaries and tables of numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsData } from '@botel/contract/numbers';
import { csvOf, seriesOf, summaryOf } from './series.ts';

type Point = MetricsData['points'][number];

const point = (at: string, cpu: number | null) => ({ at, cpu_percent: cpu, restarts: 0 }) as Point;
const points = [point('2026-01-01T00:00:00.000Z', 10), point('2026-01-01T00:01:00.000Z', null)];

test('a gap stays a gap', () => {
  assert.deepEqual(
    seriesOf(points, (each) => each.cpu_percent),
    { times: [1767225600, 1767225660], values: [10, null] },
  );
});

test('a summary leaves gaps out', () => {
  const values = [null, ...Array.from({ length: 100 }, (_, index) => index + 1)];
  assert.deepEqual(summaryOf({ times: [], values }), { peak: 100, average: 50.5, p95: 95 });
  assert.equal(summaryOf({ times: [], values: [null] }), null);
});

test('a table has a head, and nothing where nothing was measured', () => {
  const [head, first, second] = csvOf(points).split('\n');
  assert.equal(head, 'at,cpu_percent,restarts');
  assert.equal(first, '2026-01-01T00:00:00.000Z,10,0');
  assert.equal(second, '2026-01-01T00:01:00.000Z,,0');
  assert.equal(csvOf([]), '');
});
