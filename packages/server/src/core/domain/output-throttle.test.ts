// When output is throttled, and when it is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type RateSample,
  type ThrottleVerdict,
  evaluateThrottle,
  unthrottled,
  StoreAllowance,
} from './output-throttle.ts';

const megabyte = 1_000_000;

/** Verdicts, one per sample, for a bot that writes the given MB in each second. */
function verdictsOf(samples: (number | Partial<RateSample>)[], begin = unthrottled): ThrottleVerdict[] {
  let state = begin;
  return samples.map((each) => {
    const sample = typeof each === 'number' ? { bytes: each * megabyte } : each;
    const judged = evaluateThrottle(state, { ms: 1000, bytes: 0, heldBack: false, ...sample });
    state = judged.state;
    return judged.verdict;
  });
}

const throttled = { throttled: true, samples: [] };
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('a bot within its rate is let be, also when it begins with much at once', () => {
  assert.deepEqual(new Set(verdictsOf(times(60, 1.9))), new Set(['none']));
  assert.deepEqual(new Set(verdictsOf([9, 0, 0, 0, 0, 9, 0, 0])), new Set(['none']));
});

test('a flood is throttled within ten seconds, the faster the sooner', () => {
  assert.equal(verdictsOf(times(10, 13)).indexOf('throttle'), 0);
  assert.equal(verdictsOf(times(10, 4)).indexOf('throttle'), 2);
  assert.equal(verdictsOf(times(10, 2.1)).indexOf('throttle'), 4);
});

test('a late sample is judged by the time that it covers', () => {
  assert.deepEqual(verdictsOf([{ ms: 20_000, bytes: 30 * megabyte }]), ['none']);
  assert.deepEqual(verdictsOf([{ ms: 20_000, bytes: 50 * megabyte }]), ['throttle']);
});

test('a throttle stays while it holds something back, and is let go after thirty seconds without', () => {
  const held = { bytes: megabyte, heldBack: true };
  assert.deepEqual(new Set(verdictsOf(times(300, held), throttled)), new Set(['none']));
  assert.equal(verdictsOf([held, ...times(40, 0.1)], throttled).indexOf('release'), 30);
  assert.equal(verdictsOf([...times(20, 0), held, ...times(40, 0)], throttled).indexOf('release'), 50);
});

test('what is let go may be throttled again', () => {
  const verdicts = verdictsOf([...times(5, 3), ...times(35, 0), ...times(5, 3)]);
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'none'),
    ['throttle', 'release', 'throttle'],
  );
});

test('more than 10 MB/s through a throttle for ten seconds is the end', () => {
  const through = { bytes: 11 * megabyte, heldBack: true };
  assert.equal(verdictsOf(times(12, through), throttled).indexOf('stop'), 9);
  assert.ok(!verdictsOf(times(9, through), throttled).includes('stop'));
  assert.ok(!verdictsOf(times(30, { bytes: 9 * megabyte, heldBack: true }), throttled).includes('stop'));
});

test('much is stored at once, then a steady part of it in large pieces, and all again later', () => {
  const allowance = new StoreAllowance();
  let at = 0;
  const storedIn = (seconds: number, perSecond: number) => {
    const taken = times(seconds * 10, 0).map(() => allowance.take((perSecond * megabyte) / 10, (at += 100)));
    const changes = taken.filter((each, index) => index > 0 && each !== taken[index - 1]).length;
    return { megabytes: (taken.filter(Boolean).length * perSecond) / 10, changes };
  };
  assert.equal(storedIn(10, 3).megabytes, 30);
  const flood = storedIn(100, 20);
  assert.ok(flood.megabytes > 400 && flood.megabytes < 450, `${flood.megabytes} MB were stored`);
  assert.ok(flood.changes < 250, `${flood.changes} holes`);
  assert.equal(storedIn(10, 1).megabytes > 8, true);
  assert.equal(storedIn(10, 3).megabytes, 30);
});
