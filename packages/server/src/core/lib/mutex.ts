// One holder at a time, the others in the order in which they came. Must not time out; core/lib/semaphore.ts is for whole tasks.

export class Mutex {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the caller holds it, until `release`. */
  async acquire(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
