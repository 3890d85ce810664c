// Limits of one app, concurrent and per second, independent of other apps; and the share of one
// visitor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { AppLimits } from './app-limits.ts';
import { UseLimits } from './use-limits.ts';

const entered = (limits: AppLimits, app: string, tries: number, visitor = 'one') =>
  Array.from({ length: tries }, () => limits.enter(app, visitor)).filter((fault) => fault === null).length;

test('so many at a time; what is refused takes nothing', () => {
  const limits = new AppLimits(new ManualClock(), { appRequests: 2, appRate: 1000, visitorShare: 100 });
  assert.equal(entered(limits, 'a', 5), 2);
  assert.equal(entered(limits, 'b', 5), 2);
  limits.leave('a', 'one');
  assert.equal(entered(limits, 'a', 5), 1);
});

test('so many per second, as many of them at once', () => {
  const clock = new ManualClock();
  const limits = new AppLimits(clock, { appRequests: 1000, appRate: 10, visitorShare: 100 });
  assert.equal(entered(limits, 'a', 50), 10);
  assert.equal(entered(limits, 'b', 50), 10);
  clock.advance(500);
  assert.equal(entered(limits, 'a', 50), 5);
  clock.advance(60_000);
  assert.equal(entered(limits, 'a', 50), 10);
});

test('a visitor has its share of an app, the others have the rest', () => {
  const limits = new AppLimits(new ManualClock(), { appRequests: 8, appRate: 1000, visitorShare: 25 });
  assert.equal(entered(limits, 'a', 10, 'one'), 2);
  assert.equal(limits.enter('a', 'one'), 'visitor_over_limit');
  assert.equal(entered(limits, 'b', 10, 'one'), 2, 'of each app');
  for (const other of ['two', 'three', 'four']) assert.equal(entered(limits, 'a', 10, other), 2);
  assert.equal(limits.enter('a', 'five'), 'app_over_limit');
  limits.leave('a', 'one');
  assert.equal(limits.enter('a', 'five'), null);
  assert.equal(limits.enter('a', 'one'), 'app_over_limit');
});

test('a visitor has its share of each second, and at least one request', () => {
  const clock = new ManualClock();
  const limits = new AppLimits(clock, { appRequests: 1000, appRate: 8, visitorShare: 25 });
  assert.equal(entered(limits, 'a', 10, 'one'), 2);
  assert.equal(entered(limits, 'a', 10, 'two'), 2);
  clock.advance(500);
  assert.equal(entered(limits, 'a', 10, 'one'), 1);
  const small = new AppLimits(clock, { appRequests: 2, appRate: 2, visitorShare: 1 });
  assert.equal(entered(small, 'a', 10), 1);
});

test('keys that are idle are forgotten, those with open requests are not; many that are not idle are not looked at each time', () => {
  const clock = new ManualClock();
  const limits = new UseLimits(clock, { maxOpen: 1, perSecond: 10 });
  for (let key = 0; key < 5000; key++) assert.ok(limits.enter(`held-${key}`));
  for (let key = 0; key < 20_000; key++) {
    assert.ok(limits.enter(`key-${key}`));
    limits.leave(`key-${key}`);
    clock.advance(1);
  }
  assert.ok(limits.size < 12_000, String(limits.size));
  assert.ok(!limits.enter('held-0'));
});
