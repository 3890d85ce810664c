// Limits per key: concurrent uses, and uses per second.
import type { Clock } from '../core/lib/clock.ts';

interface Use {
  open: number;
  /** The time (ms) at which the bucket is full again. */
  fullAt: number;
}

const sweepSize = 4096;

export class UseLimits {
  readonly #clock: Clock;
  readonly #maxOpen: number;
  readonly #perSecond: number;
  readonly #uses = new Map<string, Use>();
  #sweepAt = sweepSize;

  /** `perSecond` is also the burst size. */
  constructor(clock: Clock, { maxOpen, perSecond }: { maxOpen: number; perSecond: number }) {
    this.#clock = clock;
    this.#maxOpen = maxOpen;
    this.#perSecond = perSecond;
  }

  /** Number of remembered keys. */
  get size(): number {
    return this.#uses.size;
  }

  /** Whether one more use is admitted; call `leave` when it ends. A refused use doesn't count. */
  enter(key: string): boolean {
    const now = this.#clock.now();
    const use = this.#use(key, now);
    // A bucket that seems empty for longer than a second dates from before the clock went back.
    const from = use.fullAt > now + 1000 ? now : Math.max(use.fullAt, now);
    const until = from + 1000 / this.#perSecond;
    if (use.open >= this.#maxOpen || until - now > 1000.001) return false;
    use.open++;
    use.fullAt = until;
    return true;
  }

  leave(key: string): void {
    const use = this.#uses.get(key);
    if (use) use.open--;
  }

  #use(key: string, now: number): Use {
    const known = this.#uses.get(key);
    if (known) return known;
    if (this.#uses.size >= this.#sweepAt) this.#sweep(now);
    const use = { open: 0, fullAt: now };
    this.#uses.set(key, use);
    return use;
  }

  /** Only after the number of keys has doubled: a flood of keys must not cause a scan each. */
  #sweep(now: number): void {
    for (const [key, { open, fullAt }] of this.#uses) if (open === 0 && fullAt <= now) this.#uses.delete(key);
    this.#sweepAt = Math.max(sweepSize, 2 * this.#uses.size);
  }
}
