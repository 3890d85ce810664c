// In-process notifications: "something about <key> changed". Nothing is queued: a listener that
// missed one reads the current state later.

type Listener<T> = (key: string, value: T) => void;

/** Listeners of single keys or of all keys; a listener must be quick and must not throw. */
export class Topic<T = void> {
  #byKey = new Map<string, Set<Listener<T>>>();
  #all = new Set<Listener<T>>();

  /** Calls `listener` for every publish of `key` until the returned function is called. */
  on(key: string, listener: Listener<T>): () => void {
    let listeners = this.#byKey.get(key);
    if (!listeners) this.#byKey.set(key, (listeners = new Set()));
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  /** Calls `listener` for every publish of any key until the returned function is called. */
  onAny(listener: Listener<T>): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** Resolves at the next publish of `key`, or when `signal` aborts. */
  next(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        off();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const off = this.on(key, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  publish(key: string, value: T): void {
    for (const listener of this.#byKey.get(key) ?? []) listener(key, value);
    for (const listener of this.#all) listener(key, value);
  }

  /** Keys with listeners, each once, not counting `onAny`. */
  keys(): string[] {
    return [...this.#byKey.keys()];
  }

  /** Number of listeners of `key`. */
  count(key: string): number {
    return this.#byKey.get(key)?.size ?? 0;
  }
}
