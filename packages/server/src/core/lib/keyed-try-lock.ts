// Who has something for itself for a while, by key: a second claim is refused, not queued. In memory: what one process
// claims no other knows of, and a crash ends all claims.

export class KeyedTryLock<W extends string> {
  readonly #works = new Map<string, W>();

  /** What the key is claimed for, null when it is free. */
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
