// What one app may take of the gateway: so many requests at a time and per second, so that a flood
// to one leaves the others served; and of that each of its visitors only a share.
import type { Clock } from '../core/lib/clock.ts';
import { UseLimits } from './use-limits.ts';

interface Limits {
  appRequests: number;
  appRate: number;
  /** Percent of both that one visitor of an app may take. */
  visitorShare: number;
}

export class AppLimits {
  readonly #apps: UseLimits;
  readonly #visitors: UseLimits;

  constructor(clock: Clock, { appRequests, appRate, visitorShare }: Limits) {
    // Who may have all of it is told that the app is over its limits.
    const shareOf = (limit: number) =>
      visitorShare === 100 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((limit * visitorShare) / 100));
    this.#apps = new UseLimits(clock, { maxOpen: appRequests, perSecond: appRate });
    this.#visitors = new UseLimits(clock, { maxOpen: shareOf(appRequests), perSecond: shareOf(appRate) });
  }

  /** Null: one more request may come in; call `leave` when it is over. What is refused takes
   * nothing of the app. */
  enter(appId: string, visitor: string): 'app_over_limit' | 'visitor_over_limit' | null {
    const key = `${appId} ${visitor}`;
    if (!this.#visitors.enter(key)) return 'visitor_over_limit';
    if (this.#apps.enter(appId)) return null;
    this.#visitors.leave(key);
    return 'app_over_limit';
  }

  leave(appId: string, visitor: string): void {
    this.#apps.leave(appId);
    this.#visitors.leave(`${appId} ${visitor}`);
  }
}
