// A clock that moves only when told to, for tests and the simulation.
import type { Clock, Timer } from '../../src/core/lib/clock.ts';

interface Pending {
  at: number;
  order: number;
  callback: () => void;
}

/** Starts at `startAt` (ms since the epoch). Timers run within `advance`, by time, then by the
 * order they were made in. */
export class ManualClock implements Clock {
  #now: number;
  #made = 0;
  #pending = new Set<Pending>();

  constructor(startAt = Date.UTC(2026, 0, 1)) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { at: this.#now + Math.max(0, delayMs), order: this.#made++, callback };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Time (ms since the epoch) of the next timer, null when none waits. */
  nextTimerAt(): number | null {
    return this.#next()?.at ?? null;
  }

  /**
   * Moves on by `ms`, running each timer that is due at its own time, timers made meanwhile too.
   * Promises settled by them continue after this returns: to see them act in between, advance from
   * timer to timer.
   */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#pending.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }

  /** Somebody sets the clock: the time is another one, and timers wait as long as they would
   * have. */
  set(ms: number): void {
    this.#now += ms;
    for (const pending of this.#pending) pending.at += ms;
  }

  #next(): Pending | null {
    let best: Pending | null = null;
    for (const pending of this.#pending) {
      if (!best || pending.at < best.at || (pending.at === best.at && pending.order < best.order)) best = pending;
    }
    return best;
  }
}
