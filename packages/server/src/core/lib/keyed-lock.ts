// Runs one task per key at a time, in order of arrival.

export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `task` once all earlier ones of `key` have ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = Promise.withResolvers<void>();
    this.#last.set(key, mine.promise);
    await before;
    try {
      return await task();
    } finally {
      mine.resolve();
      if (this.#last.get(key) === mine.promise) this.#last.delete(key);
    }
  }
}
