// Keeps the gateway's table up to date: polls the source's version number, also before each
// request, and reads all routes when it changed. When the source can't be read, the table stays.
import type { Route } from '../core/domain/route.ts';
import type { Clock, Timer } from '../core/lib/clock.ts';

/** The source of routes, in this process or another. Both methods return at once or throw. */
interface RouteSource {
  /** Changes whenever a route may have changed. */
  version(): number;
  all(): Route[];
}

interface Deps {
  source: RouteSource;
  apply(routes: Route[]): void;
  clock: Clock;
  /** Reports once that the source can't be read, and again only after it could be. */
  report(error: unknown): void;
}

/** Polling interval, for pending requests and for connections of ended runs. */
const pollMs = 40;

export class RouteWatch {
  readonly #deps: Deps;
  #version: number | null = null;
  /** No table is read until `until` (ms since the epoch); `ms` is the length of that pause. */
  #rest = { until: 0, ms: 0 };
  #hasFailed = false;
  #timer: Timer | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws when there is no first table. */
  start(): void {
    this.#refresh();
    this.#arm();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Applies the newest table, unless reading the last one took long; cheap when unchanged. */
  poll(): void {
    try {
      this.#refresh();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#deps.report(error);
      this.#hasFailed = true;
    }
  }

  #arm(): void {
    this.#timer = this.#deps.clock.after(pollMs, () => {
      this.poll();
      this.#arm();
    });
  }

  /** Reads the number before the routes, so that changes in between cause another read. */
  #refresh(): void {
    const { source, apply, clock } = this.#deps;
    const version = source.version();
    if (version === this.#version) return;
    const began = clock.now();
    // A clock that went back doesn't prolong a pause.
    const restMs = this.#rest.until - began;
    if (restMs > 0 && restMs <= this.#rest.ms) return;
    apply(source.all());
    this.#version = version;
    const ended = clock.now();
    // Reading takes at most half of the time, however often routes change.
    const ms = ended - began;
    this.#rest = { until: ended + ms, ms };
  }
}
