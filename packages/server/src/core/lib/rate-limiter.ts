// Token buckets: each key holds `limit` tokens, refilled evenly over a minute. The number of
// buckets is bounded: the least recently used is dropped first.
import type { Clock } from './clock.ts';

const windowMs = 60_000;

/** Seconds are rounded up. */
export interface Rate {
  limit: number;
  isAllowed: boolean;
  /** Tokens left now. */
  remaining: number;
  /** Seconds until the bucket is full. */
  resetSeconds: number;
  /** Seconds until the next token; 0 = now. */
  retrySeconds: number;
}

/**
 * Takes a token from a bucket of `limit` per minute; a refused call takes nothing. `emptiedUntil`
 * is the bucket: the time (ms) at which it is full again; null = full. One that seems to need more
 * than a minute was written before the clock was set back, and counts as full.
 */
export function take(emptiedUntil: number | null, limit: number, now: number): { until: number; rate: Rate } {
  const each = windowMs / limit;
  const isOfAnotherTime = emptiedUntil !== null && emptiedUntil > now + windowMs + 1;
  const from = isOfAnotherTime ? now : Math.max(emptiedUntil ?? now, now);
  const wanted = from + each;
  // Tolerates rounding errors of a thousandth of a millisecond.
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
  /** In order of last use. */
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
