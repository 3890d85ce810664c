// Histogram buckets, their sums, and the precision of quantiles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTimes, noTimes, quantile, type Times, timeBounds, timesOf } from './response-times.ts';

const counted = (all: readonly number[]): Times => all.map((ms) => timesOf(ms)).reduce(addTimes, noTimes);

test('a time is counted once, at the first bound that it does not exceed', () => {
  for (const [index, bound] of timeBounds.entries()) {
    assert.equal(timesOf(bound).indexOf(1), index);
    assert.equal(timesOf(bound + 1).indexOf(1), index + 1);
  }
  assert.deepEqual(timesOf(null), noTimes);
  assert.equal(
    counted([0, 3, 5, 6, 1e9]).reduce((sum, count) => sum + count),
    5,
  );
});

test('a quantile lies between the bounds around the true one, and never beyond the longest time', () => {
  const all = Array.from({ length: 1000 }, (_, index) => Math.round(1.012 ** index));
  const longest = all.at(-1) ?? 0;
  for (const share of [0.5, 0.95, 0.99, 1]) {
    const exact = all[Math.ceil(share * all.length) - 1] ?? 0;
    const above = timeBounds.find((bound) => bound >= exact) ?? longest;
    const below = timeBounds.findLast((bound) => bound < exact) ?? 0;
    const found = quantile(counted(all), share, longest) ?? -1;
    assert.ok(found >= below && found <= above, `${share}: ${found} of ${exact}`);
  }
});

test('one answer, equal answers, and none', () => {
  assert.equal(quantile(noTimes, 0.95, 0), null);
  assert.equal(quantile(timesOf(0), 0.95, 0), 0);
  const equal = quantile(counted([60, 60, 60]), 0.95, 60) ?? -1;
  assert.ok(equal > 40 && equal <= 60);
  const slow = quantile(counted([90_000, 90_000]), 0.5, 90_000) ?? -1;
  assert.ok(slow > 30_000 && slow <= 90_000);
});

test('what is added in any order and in parts is the same', () => {
  const [a, b, c] = [counted([1, 12]), counted([12, 800]), counted([50_000])];
  assert.deepEqual(addTimes(addTimes(a, b), c), addTimes(a, addTimes(c, b)));
});
