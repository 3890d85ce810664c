// What one app may take of the gateway: so many requests at a time and per second, so that a flood to one leaves the others
// served. Must not know who asks.
import type { Clock } from '../lib/clock.ts';

interface Use {
  open: number;
  /** The time (ms) at which the bucket is full again. */
  fullAt: number;
}

const sweepSize = 4096;

export class AppLimits {
  readonly #clock: Clock;
  readonly #mostOpen: number;
  readonly #perSecond: number;
  readonly #apps = new Map<string, Use>();

  constructor(clock: Clock, { appRequests, appRate }: { appRequests: number; appRate: number }) {
    this.#clock = clock;
    this.#mostOpen = appRequests;
    this.#perSecond = appRate;
  }

  /** Whether one more request may come in; call `leave` when it is over. What is refused takes nothing. */
  enter(appId: string): boolean {
    const now = this.#clock.now();
    const use = this.#use(appId, now);
    // A bucket that seems to be empty for longer than a second is of a time before the clock was turned back.
    const from = use.fullAt > now + 1000 ? now : Math.max(use.fullAt, now);
    const until = from + 1000 / this.#perSecond;
    if (use.open >= this.#mostOpen || until - now > 1000.001) return false;
    use.open++;
    use.fullAt = until;
    return true;
  }

  leave(appId: string): void {
    const use = this.#apps.get(appId);
    if (use) use.open--;
  }

  open(appId: string): number {
    return this.#apps.get(appId)?.open ?? 0;
  }

  #use(appId: string, now: number): Use {
    const known = this.#apps.get(appId);
    if (known) return known;
    if (this.#apps.size >= sweepSize)
      for (const [id, { open, fullAt }] of this.#apps) if (open === 0 && fullAt <= now) this.#apps.delete(id);
    const use = { open: 0, fullAt: now };
    this.#apps.set(appId, use);
    return use;
  }
}
