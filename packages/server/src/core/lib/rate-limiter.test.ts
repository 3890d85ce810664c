// Buckets: never above the limit, refilled evenly, bounded in number, and robust against clock
// changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { RateLimiter, take } from './rate-limiter.ts';

describe('take', () => {
  test('as many as the limit at once, then one per part of the minute', () => {
    let until: number | null = null;
    const taken = (now: number) => {
      const next = take(until, 10, now);
      until = next.until;
      return next.rate;
    };
    for (let n = 1; n <= 10; n++)
      assert.deepEqual(taken(0), {
        limit: 10,
        isAllowed: true,
        remaining: 10 - n,
        resetSeconds: 6 * n,
        retrySeconds: 0,
      });
    const refused = { limit: 10, isAllowed: false, remaining: 0, resetSeconds: 60, retrySeconds: 6 };
    assert.deepEqual([taken(0), taken(0)], [refused, refused]);
    assert.equal(taken(5_999).isAllowed, false);
    assert.equal(taken(6_000).isAllowed, true);
    assert.equal(taken(6_000).isAllowed, false);
    assert.equal(taken(66_000).remaining, 9);
  });

  test('in any minute at most twice the limit; remaining says how many follow at once; a refusal how long to wait', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (limit, pauses) => {
        let [until, now]: [number | null, number] = [null, 1_000_000];
        const allowed: number[] = [];
        for (const pause of pauses) {
          now += pause;
          const next = take(until, limit, now);
          if (next.rate.isAllowed) allowed.push(now);
          else assert.ok(take(next.until, limit, now + next.rate.retrySeconds * 1000).rate.isAllowed);
          let more = 0;
          for (let bucket = next.until; more <= limit; more++) {
            const further = take(bucket, limit, now);
            if (!further.rate.isAllowed) break;
            bucket = further.until;
          }
          assert.equal(more, next.rate.remaining);
          until = next.until;
        }
        for (const start of allowed)
          assert.ok(allowed.filter((at) => at >= start && at < start + 60_000).length <= 2 * limit);
      }),
    );
  });

  test('a clock that went back by a day refuses nobody', () => {
    const { until } = take(null, 5, 86_400_000);
    const { rate } = take(until, 5, 0);
    assert.deepEqual([rate.isAllowed, rate.remaining, rate.resetSeconds], [true, 4, 12]);
  });
});

describe('RateLimiter', () => {
  test('counts each key apart, in so much memory', () => {
    const limiter = new RateLimiter(2, new ManualClock(0), 100);
    assert.deepEqual(
      ['a', 'a', 'a', 'b'].map((key) => limiter.take(key).isAllowed),
      [true, true, false, true],
    );
    for (let n = 0; n < 1000; n++) limiter.take(`key ${n}`);
    assert.equal(limiter.size, 100);
  });

  test('forgets who was away for longest, not who comes all the time', () => {
    const limiter = new RateLimiter(1, new ManualClock(0), 10);
    limiter.take('busy');
    for (let n = 0; n < 100; n++) {
      limiter.take(`key ${n}`);
      assert.equal(limiter.take('busy').isAllowed, false);
    }
  });
});
