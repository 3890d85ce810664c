// The upstreams of all apps: one per app, created on its first request.
import { isSameUpstream, type Upstream } from '../core/domain/route.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { RouteTable } from './route-table.ts';
import { UpstreamPool } from './upstream-pool.ts';

export class UpstreamPools {
  readonly #clock: Clock;
  readonly #byApp = new Map<string, UpstreamPool>();
  readonly #retired = new Set<UpstreamPool>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The upstream of an app whose route leads to `where`. */
  of(appId: string, where: Upstream): UpstreamPool {
    const known = this.#byApp.get(appId);
    if (known && isSameUpstream(known.where, where)) return known;
    if (known) this.#retire(known);
    const pool = new UpstreamPool(where, this.#clock);
    this.#byApp.set(appId, pool);
    return pool;
  }

  /** Retires all upstreams that the table no longer contains. */
  keepOnly(table: RouteTable): void {
    for (const [appId, pool] of this.#byApp) {
      const state = table.ofApp(appId)?.state;
      if (state?.kind === 'online' && isSameUpstream(state.target, pool.where)) continue;
      this.#byApp.delete(appId);
      this.#retire(pool);
    }
  }

  close(): void {
    for (const pool of [...this.#byApp.values(), ...this.#retired]) pool.close();
    this.#byApp.clear();
    this.#retired.clear();
  }

  #retire(pool: UpstreamPool): void {
    for (const other of this.#retired) if (other.connections === 0) this.#forget(other);
    pool.retire();
    this.#retired.add(pool);
  }

  #forget(pool: UpstreamPool): void {
    this.#retired.delete(pool);
    pool.close();
  }
}
