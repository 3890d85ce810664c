// Locks by key in memory; a second attempt is refused, not queued.

export class KeyedTryLock<W extends string> {
  readonly #works = new Map<string, W>();

  /** The work that holds the key; null when it is free. */
  holder(key: string): W | null {
    return this.#works.get(key) ?? null;
  }

  /** False when the key is already locked. */
  tryLock(key: string, work: W): boolean {
    if (this.#works.has(key)) return false;
    this.#works.set(key, work);
    return true;
  }

  unlock(key: string): void {
    this.#works.delete(key);
  }
}
