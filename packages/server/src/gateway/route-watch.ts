// Keeps the gateway's table as the source has it: looks often at one number, and reads all routes when that changed. A source that
// can't be read leaves the table as it is.
import type { Route } from '../domain/route.ts';
import type { Clock, Timer } from '../lib/clock.ts';

/** Where routes come from, in this process or another. */
export interface RouteSource {
  /** Another number whenever a route may have changed. */
  version(): Promise<number>;
  all(): Promise<Route[]>;
}

interface Parts {
  source: RouteSource;
  apply(routes: Route[]): void;
  clock: Clock;
  /** Told once when the source can't be read, and of nothing more until it could. */
  report(error: unknown): void;
}

/** A change has to be seen in less than 100 ms, the time for reading it included. */
const lookMs = 40;

export class RouteWatch {
  readonly #parts: Parts;
  #version: number | null = null;
  #hasFailed = false;
  #timer: Timer | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when the first table is applied. */
  async start(): Promise<void> {
    await this.#look();
    this.#arm();
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking.catch(() => undefined);
  }

  #arm(): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.clock.after(lookMs, () => {
      this.#looking = this.#lookSafely().finally(() => this.#arm());
    });
  }

  async #lookSafely(): Promise<void> {
    try {
      await this.#look();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#parts.report(error);
      this.#hasFailed = true;
    }
  }

  /** The number is read before the routes: what changes between is read once more. */
  async #look(): Promise<void> {
    const { source, apply } = this.#parts;
    const version = await source.version();
    if (version === this.#version) return;
    const routes = await source.all();
    if (this.#isClosed) return;
    apply(routes);
    this.#version = version;
  }
}
