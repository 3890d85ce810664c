// Runs periodic tasks. A task takes no input, may be run at any time and again, and never overlaps
// itself.
import { type Clock, pause } from '../../core/lib/clock.ts';

export interface Task {
  name: string;
  /** Milliseconds between the end of a run and the next. */
  everyMs: number;
  /** Ends soon once `signal` aborts. */
  run(signal?: AbortSignal): Promise<void>;
}

export class TaskDriver {
  readonly #clock: Clock;
  readonly #onError: (error: unknown, task: string) => void;
  readonly #tasks: Task[] = [];
  readonly #stop = new AbortController();
  /** End of the last run of each task. */
  readonly #runs = new Map<string, Promise<void>>();
  #loops: Promise<void>[] = [];

  constructor(clock: Clock, onError: (error: unknown, task: string) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  add(task: Task): void {
    this.#tasks.push(task);
  }

  /** Runs every task once per period, the first time after one period. */
  start(): void {
    this.#loops = this.#tasks.map((task) => this.#repeat(task));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  /** Runs a task now, after a run of it that is under way. For tests. */
  run(name: string): Promise<void> {
    const task = this.#tasks.find((candidate) => candidate.name === name);
    if (!task) throw new Error(`There is no task ${name}`);
    return this.#once(task);
  }

  #once(task: Task): Promise<void> {
    const run = (this.#runs.get(task.name) ?? Promise.resolve())
      .then(() => task.run(this.#stop.signal))
      .catch((error) => this.#onError(error, task.name));
    this.#runs.set(task.name, run);
    return run;
  }

  async #repeat(task: Task): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await pause(this.#clock, task.everyMs, signal).catch(() => {
        // Only stop() ends a pause early.
      });
      if (signal.aborted) return;
      await this.#once(task);
    }
  }
}
