// Limits the requests of each app, concurrent and per second; each visitor gets a share.
import type { Clock } from '../core/lib/clock.ts';
import { UseLimits } from './use-limits.ts';

interface Limits {
  appRequests: number;
  appRate: number;
  /** Percent of both limits that one visitor of an app may take. */
  visitorShare: number;
}

export class AppLimits {
  readonly #apps: UseLimits;
  readonly #visitors: UseLimits;

  constructor(clock: Clock, { appRequests, appRate, visitorShare }: Limits) {
    // A visitor who may take all of it gets the error of the app's limit.
    const shareOf = (limit: number) =>
      visitorShare === 100 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((limit * visitorShare) / 100));
    this.#apps = new UseLimits(clock, { maxOpen: appRequests, perSecond: appRate });
    this.#visitors = new UseLimits(clock, { maxOpen: shareOf(appRequests), perSecond: shareOf(appRate) });
  }

  /** Null: the request is admitted; call `leave` when it ends. A refused request doesn't count. */
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
