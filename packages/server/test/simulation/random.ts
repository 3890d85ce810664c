// Seeded randomness of the simulation: the same seed makes the same history.
import type { Ids } from '../../src/core/lib/ids.ts';

export class Random implements Ids {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1); mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(odds: number): boolean {
    return this.fraction() < odds;
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  pick<T>(things: readonly T[]): T {
    return things[this.below(things.length)] as T;
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`;
  }
}
