// Positions in a chart.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawnOf, nearestTo, placeOf, timeTicks, topOf } from './scale.ts';

describe('the top of an axis', () => {
  const free = { limit: null, always: false };
  test('is the limit, unless little of it is used or it was exceeded', () => {
    assert.equal(topOf(3, 'mb', { limit: 256, always: true }), 256);
    assert.equal(topOf(100, 'mb', { limit: 256, always: false }), 256);
    assert.equal(topOf(3, 'mb', { limit: 256, always: false }), 4);
    assert.equal(topOf(130, 'percent', { limit: 100, always: true }), 160);
  });
  test('is round in its unit, and never nothing', () => {
    assert.equal(topOf(0, 'percent', free), 1);
    assert.equal(topOf(0, 'count', free), 2);
    assert.equal(topOf(3, 'bytes', free), 1024);
    assert.equal(topOf(3, 'count', free), 4);
    assert.equal(topOf(1500, 'bytes', free), 2048);
    assert.equal(topOf(1023 * 1024, 'bytes', free), 1024 * 1024);
    assert.equal(topOf(7_200_000, 'mb', free), 8_000_000);
  });
});

test('times below it are round by the clock of the reader', () => {
  const from = Date.UTC(2026, 0, 31, 11, 58);
  const { ticks, step } = timeTicks({ from, to: from + 60 * 60_000 }, 4, 0);
  assert.equal(step, 15 * 60_000);
  assert.deepEqual(
    ticks.map((tick) => new Date(tick).toISOString().slice(11, 16)),
    ['12:00', '12:15', '12:30', '12:45'],
  );
  const days = timeTicks({ from, to: from + 3 * 86_400_000 }, 4, -3 * 3_600_000);
  assert.equal(new Date(days.ticks[0] ?? 0).toISOString(), '2026-02-01T03:00:00.000Z');
});

test('a time has a position between the ends, one alone the middle', () => {
  assert.equal(placeOf(5, { from: 0, to: 20 }), 0.25);
  assert.equal(placeOf(50, { from: 0, to: 20 }), 1);
  assert.equal(placeOf(7, { from: 7, to: 7 }), 0.5);
});

test('a curve breaks at gaps; a value alone is a dot', () => {
  const spots = [1, 2, null, 4, null].map((y, x) => ({ x, y }));
  assert.deepEqual(drawnOf(spots, 9), { line: 'M0 1L1 2', area: 'M0 9L0 1L1 2L1 9Z', dots: [{ x: 3, y: 4 }] });
  assert.deepEqual(drawnOf([], 9), { line: '', area: '', dots: [] });
});

test('the nearest time', () => {
  assert.deepEqual(
    [0, 14, 16, 99].map((at) => nearestTo([0, 10, 20], at)),
    [0, 1, 2, 2],
  );
  assert.equal(nearestTo([], 5), -1);
});
