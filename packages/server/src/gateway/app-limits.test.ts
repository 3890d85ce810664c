// What one app may take: at a time and per second, apart from all others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../lib/manual-clock.ts';
import { AppLimits } from './app-limits.ts';

const entered = (limits: AppLimits, app: string, tries: number) =>
  Array.from({ length: tries }, () => limits.enter(app)).filter(Boolean).length;

test('so many at a time; what is refused takes nothing', () => {
  const limits = new AppLimits(new ManualClock(), { appRequests: 2, appRate: 1000 });
  assert.equal(entered(limits, 'a', 5), 2);
  assert.equal(entered(limits, 'b', 5), 2);
  limits.leave('a');
  assert.equal(entered(limits, 'a', 5), 1);
  assert.equal(limits.open('a'), 2);
});

test('so many per second, as many of them at once', () => {
  const clock = new ManualClock();
  const limits = new AppLimits(clock, { appRequests: 1000, appRate: 10 });
  assert.equal(entered(limits, 'a', 50), 10);
  assert.equal(entered(limits, 'b', 50), 10);
  clock.advance(500);
  assert.equal(entered(limits, 'a', 50), 5);
  clock.advance(60_000);
  assert.equal(entered(limits, 'a', 50), 10);
});

test('apps that are idle are forgotten, those with open requests are not', () => {
  const clock = new ManualClock();
  const limits = new AppLimits(clock, { appRequests: 1, appRate: 10 });
  assert.ok(limits.enter('held'));
  for (let app = 0; app < 5000; app++) {
    assert.ok(limits.enter(`app-${app}`));
    limits.leave(`app-${app}`);
  }
  clock.advance(1000);
  assert.ok(limits.enter('another'));
  assert.ok(!limits.enter('held'));
});
