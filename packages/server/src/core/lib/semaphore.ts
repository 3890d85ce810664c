// Limits how many tasks run at once; the others wait in order.

/** `run` calls `task` as soon as fewer than `limit` others run. */
export class Semaphore {
  #free: number;
  #queue: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#queue.length;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
