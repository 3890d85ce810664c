// So many at a time, and so many per second, for each of many keys.
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

  /** `perSecond`: as many may come at once. */
  constructor(clock: Clock, { maxOpen, perSecond }: { maxOpen: number; perSecond: number }) {
    this.#clock = clock;
    this.#maxOpen = maxOpen;
    this.#perSecond = perSecond;
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#uses.size;
  }

  /** Whether one more may come in; call `leave` when it is over. What is refused takes nothing. */
  enter(key: string): boolean {
    const now = this.#clock.now();
    const use = this.#use(key, now);
    // A bucket that seems to be empty for longer than a second is of a time before the clock was
    // turned back.
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

  /** Not again before there are twice as many as it left: a flood of keys must not make each of
   * them cost a look at all. */
  #sweep(now: number): void {
    for (const [key, { open, fullAt }] of this.#uses) if (open === 0 && fullAt <= now) this.#uses.delete(key);
    this.#sweepAt = Math.max(sweepSize, 2 * this.#uses.size);
  }
}
