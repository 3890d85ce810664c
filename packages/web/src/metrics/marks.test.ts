// Grouping of markers, and when a bot was online.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsData } from '@botel/contract/metrics';
import { countsOf, groupsOf, marksOf, onlineSpans } from './marks.ts';
import type { Reading } from './readings.ts';

const at = (ms: number) => new Date(ms).toISOString();
const data = (...markers: [number, string][]) =>
  ({ markers: markers.map(([ms, type]) => ({ at: at(ms), type })) }) as MetricsData;

test('marks of another time are left out; what is not known counts as a failure', () => {
  const marks = marksOf(data([5, 'started'], [50, 'built'], [60, 'vanished'], [500, 'backup']), { from: 10, to: 100 });
  assert.deepEqual(
    marks.map(({ type, kind }) => [type, kind]),
    [
      ['built', 'build'],
      ['vanished', 'failure'],
    ],
  );
});

test('those that stand close together are one, which looks like the gravest', () => {
  const marks = marksOf(data([0, 'started'], [4, 'crashed'], [5, 'started'], [60, 'stopped']), { from: 0, to: 100 });
  const groups = groupsOf(marks, { from: 0, to: 100 }, 0.1);
  assert.deepEqual(
    groups.map(({ position, kind, marks: of }) => [position, kind, of.length]),
    [
      [0, 'failure', 3],
      [0.6, 'end', 1],
    ],
  );
  assert.deepEqual(countsOf(marks), [
    ['started', 2],
    ['crashed', 1],
    ['stopped', 1],
  ]);
});

test('a bot was online where something was measured', () => {
  const readings = [5, null, null, 6, 7].map((memory, index) => ({ at: index * 10, memory }) as Reading);
  assert.deepEqual(onlineSpans(readings, 10), [
    { from: 0, to: 10 },
    { from: 30, to: 50 },
  ]);
  assert.deepEqual(onlineSpans([], 10), []);
});
