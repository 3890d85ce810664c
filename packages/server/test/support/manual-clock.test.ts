// Unit tests of the manual clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';

test('timers run by time, then by order, at their own time', () => {
  const clock = new ManualClock(1000);
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, clock.now()]);
  clock.after(20, note('late'));
  clock.after(10, note('first'));
  clock.after(10, note('second'));
  clock.after(31, note('never'));
  assert.equal(clock.nextTimerAt(), 1010);
  clock.advance(30);
  assert.deepEqual(seen, [
    ['first', 1010],
    ['second', 1010],
    ['late', 1020],
  ]);
  assert.equal(clock.now(), 1030);
  assert.equal(clock.nextTimerAt(), 1031);
});

test('a timer made by a timer runs in the same advance when it is due', () => {
  const clock = new ManualClock(0);
  const seen: number[] = [];
  clock.after(5, () => clock.after(5, () => seen.push(clock.now())));
  clock.advance(10);
  assert.deepEqual(seen, [10]);
});

test('a cancelled timer never runs; nothing waits then', () => {
  const clock = new ManualClock(0);
  const timer = clock.after(5, () => assert.fail('it ran'));
  timer.cancel();
  timer.cancel();
  clock.advance(10);
  assert.equal(clock.nextTimerAt(), null);
});
