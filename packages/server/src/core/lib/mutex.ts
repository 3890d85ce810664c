// Mutual exclusion in order of arrival, with explicit release.

export class Mutex {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the caller holds the mutex, until `release`. */
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
