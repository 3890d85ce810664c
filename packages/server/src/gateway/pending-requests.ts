// Requests that wait for their bot: limited in number per app, and in time.
import type { Clock } from '../core/lib/clock.ts';

/** `overflow`: too many requests of the key are pending already. */
export type Waited = 'ready' | 'timeout' | 'overflow' | 'clientGone';

/** Emits an event when a client is gone. */
interface Leaver {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export class PendingRequests {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #waiting = new Map<string, Set<() => void>>();

  /** At most `most` requests per key. */
  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  count(key: string): number {
    return this.#waiting.get(key)?.size ?? 0;
  }

  get size(): number {
    let size = 0;
    for (const others of this.#waiting.values()) size += others.size;
    return size;
  }

  /** Waits until the key is woken, or until `until` (ms since the epoch). */
  wait(key: string, until: number, client: Leaver): Promise<Waited> {
    const { promise, resolve } = Promise.withResolvers<Waited>();
    const remaining = until - this.#clock.now();
    if (remaining <= 0) return Promise.resolve('timeout');
    const others = this.#waiting.get(key) ?? new Set();
    if (others.size >= this.#most) return Promise.resolve('overflow');
    this.#waiting.set(key, others);
    const settle = (how: Waited) => {
      timer.cancel();
      client.off('close', onClose);
      others.delete(onWake);
      if (others.size === 0 && this.#waiting.get(key) === others) this.#waiting.delete(key);
      resolve(how);
    };
    const onWake = () => settle('ready');
    const onClose = () => settle('clientGone');
    const timer = this.#clock.after(remaining, () => settle('timeout'));
    client.once('close', onClose);
    others.add(onWake);
    return promise;
  }

  wake(key: string): void {
    for (const onWake of this.#waiting.get(key) ?? []) onWake();
  }

  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.wake(key);
  }
}
