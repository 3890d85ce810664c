// Runs at most one worker per key; a key added meanwhile runs once more afterwards.

/** With bounded parallelism. `work` must not throw; errors go to `onError`. */
export class KeyedQueue {
  #waiting = new Set<string>();
  #running = new Set<string>();
  #idle: (() => void)[] = [];
  #stopped = false;
  readonly #limit: number;
  readonly #work: (key: string) => Promise<void>;
  readonly #onError: (key: string, error: unknown) => void;

  constructor(limit: number, work: (key: string) => Promise<void>, onError: (key: string, error: unknown) => void) {
    this.#limit = limit;
    this.#work = work;
    this.#onError = onError;
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#waiting.add(key);
    this.#pump();
  }

  /** Resolves when the queue is empty and no worker runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || (this.#waiting.size > 0 && !this.#stopped)) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Accepts no more keys; resolves when the running workers are done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await this.idle();
  }

  #pump(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#limit) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#work(key);
    } catch (error) {
      this.#onError(key, error);
    }
    this.#running.delete(key);
    this.#pump();
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
