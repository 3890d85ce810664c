// Keeps the gateway's table as the source has it: looks at one number, often and before each
// request, and reads all routes when that changed. A source that can't be read leaves the table as
// it is.
import type { Route } from '../core/domain/route.ts';
import type { Clock, Timer } from '../core/lib/clock.ts';

/** Where routes come from, in this process or another. Both answer at once, or throw. */
interface RouteSource {
  /** Another number whenever a route may have changed. */
  version(): number;
  all(): Route[];
}

interface Parts {
  source: RouteSource;
  apply(routes: Route[]): void;
  clock: Clock;
  /** Told once when the source can't be read, and of nothing more until it could. */
  report(error: unknown): void;
}

/** For requests that wait, and for what is kept of runs that are over. */
const lookMs = 40;

export class RouteWatch {
  readonly #parts: Parts;
  #version: number | null = null;
  /** Until when (ms since the epoch) no table is read, and for how long that is. */
  #rest = { until: 0, ms: 0 };
  #hasFailed = false;
  #timer: Timer | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws when there is no first table. */
  start(): void {
    this.#look();
    this.#arm();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Applies the newest table, unless it has just read one that took long. Costs a few microseconds
   * when nothing changed. */
  look(): void {
    try {
      this.#look();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#parts.report(error);
      this.#hasFailed = true;
    }
  }

  #arm(): void {
    this.#timer = this.#parts.clock.after(lookMs, () => {
      this.look();
      this.#arm();
    });
  }

  /** The number is read before the routes: what changes between is read once more. */
  #look(): void {
    const { source, apply, clock } = this.#parts;
    const version = source.version();
    if (version === this.#version) return;
    const began = clock.now();
    // A clock that was turned back makes no rest longer.
    const restMs = this.#rest.until - began;
    if (restMs > 0 && restMs <= this.#rest.ms) return;
    apply(source.all());
    this.#version = version;
    const ended = clock.now();
    // Reading takes half of the time at most, however often routes change.
    const ms = ended - began;
    this.#rest = { until: ended + ms, ms };
  }
}
