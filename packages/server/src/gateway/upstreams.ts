// The upstreams of all apps: one per app, created on its first request.
import { isSameUpstream, type Upstream } from '../core/domain/route.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { RouteTable } from './route-table.ts';
import { Target } from './upstream.ts';

export class Targets {
  readonly #clock: Clock;
  readonly #byApp = new Map<string, Target>();
  readonly #retired = new Set<Target>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The upstream of an app whose route leads to `where`. */
  of(appId: string, where: Upstream): Target {
    const known = this.#byApp.get(appId);
    if (known && isSameUpstream(known.where, where)) return known;
    if (known) this.#retire(known);
    const target = new Target(where, this.#clock);
    this.#byApp.set(appId, target);
    return target;
  }

  /** Retires all upstreams that the table no longer contains. */
  keepOnly(table: RouteTable): void {
    for (const [appId, target] of this.#byApp) {
      const state = table.ofApp(appId)?.state;
      if (state?.kind === 'online' && isSameUpstream(state.target, target.where)) continue;
      this.#byApp.delete(appId);
      this.#retire(target);
    }
  }

  close(): void {
    for (const target of [...this.#byApp.values(), ...this.#retired]) target.close();
    this.#byApp.clear();
    this.#retired.clear();
  }

  #retire(target: Target): void {
    for (const other of this.#retired) if (other.connections === 0) this.#forget(other);
    target.retire();
    this.#retired.add(target);
  }

  #forget(target: Target): void {
    this.#retired.delete(target);
    target.close();
  }
}
