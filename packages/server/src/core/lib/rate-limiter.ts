// How often somebody may do something: a bucket per key that holds `limit` and fills evenly over a minute. A key is one
// number, and only so many are kept: the one that was used longest ago goes first. Must not know who or what is counted.
import type { Clock } from './clock.ts';

const windowMs = 60_000;

/** Seconds are whole, and rounded up. */
export interface Rate {
  limit: number;
  isAllowed: boolean;
  /** How many more are allowed at this moment. */
  remaining: number;
  /** Until the bucket is full. */
  resetSeconds: number;
  /** Until one more is allowed; 0 = now. */
  retrySeconds: number;
}

/**
 * Takes one out of a bucket of `limit` per minute. `emptiedUntil` is the bucket: the time (ms) at which it is full again;
 * null = it is full. What is refused takes nothing. No bucket is emptied for longer than a minute: one that seems to be is of another
 * time, before the clock was turned back, and nobody is refused for that.
 */
export function take(emptiedUntil: number | null, limit: number, now: number): { until: number; rate: Rate } {
  const each = windowMs / limit;
  const isOfAnotherTime = emptiedUntil !== null && emptiedUntil > now + windowMs + 1;
  const from = isOfAnotherTime ? now : Math.max(emptiedUntil ?? now, now);
  const wanted = from + each;
  // Sums of fractions: a thousandth of a millisecond is nothing.
  const isAllowed = wanted - now <= windowMs + 0.001;
  const until = isAllowed ? wanted : from;
  const left = windowMs - (until - now) + 0.001;
  return {
    until,
    rate: {
      limit,
      isAllowed,
      remaining: Math.max(0, Math.floor(left / each)),
      resetSeconds: Math.ceil((until - now) / 1000),
      retrySeconds: isAllowed ? 0 : Math.max(1, Math.ceil((wanted - now - windowMs) / 1000)),
    },
  };
}

export class RateLimiter {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #maxKeys: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, number>();

  /** `limit` is per minute and key; `maxKeys` bounds the memory. */
  constructor(limit: number, clock: Clock, maxKeys = 50_000) {
    this.#limit = limit;
    this.#clock = clock;
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(key: string): Rate {
    const { until, rate } = take(this.#buckets.get(key) ?? null, this.#limit, this.#clock.now());
    this.#buckets.delete(key);
    this.#buckets.set(key, until);
    if (this.#buckets.size > this.#maxKeys) {
      const [oldest = key] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return rate;
  }
}
