// Runs periodic tasks, which take no input, may run at any time, and never overlap themselves.
import type { TaskStatus } from '../../core/domain/task-status.ts';
import { type Clock, pause } from '../../core/lib/clock.ts';

export interface Task {
  name: string;
  /** Milliseconds between the end of a run and the next. */
  everyMs: number;
  /** Ends soon once `signal` aborts. */
  run(signal?: AbortSignal): Promise<void>;
}

/** Longest error message in a task's status. */
const maxMessageLength = 300;

export class TaskDriver {
  readonly #clock: Clock;
  readonly #onError: (error: unknown, task: string) => void;
  readonly #tasks: Task[] = [];
  readonly #stop = new AbortController();
  /** End of the last run of each task. */
  readonly #runs = new Map<string, Promise<void>>();
  readonly #statuses = new Map<string, TaskStatus>();
  #loops: Promise<void>[] = [];

  constructor(clock: Clock, onError: (error: unknown, task: string) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  add(task: Task): void {
    this.#tasks.push(task);
    this.#statuses.set(task.name, { name: task.name, periodMs: task.everyMs, lastRun: null, lastError: null });
  }

  /** In the order in which they were added. */
  statuses(): TaskStatus[] {
    return [...this.#statuses.values()];
  }

  /** Runs every task once per period, the first time after one period. */
  start(): void {
    this.#loops = this.#tasks.map((task) => this.#repeat(task));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  /** Runs a task now, after a run of it that is in progress. For tests. */
  run(name: string): Promise<void> {
    const task = this.#tasks.find((candidate) => candidate.name === name);
    if (!task) throw new Error(`There is no task ${name}`);
    return this.#once(task);
  }

  #once(task: Task): Promise<void> {
    const run = (this.#runs.get(task.name) ?? Promise.resolve()).then(() => this.#runAndNote(task));
    this.#runs.set(task.name, run);
    return run;
  }

  async #runAndNote(task: Task): Promise<void> {
    const startedAt = this.#clock.now();
    let error: TaskStatus['lastError'] = this.#statuses.get(task.name)?.lastError ?? null;
    try {
      await task.run(this.#stop.signal);
    } catch (fault) {
      this.#onError(fault, task.name);
      error = { at: this.#clock.now(), message: String((fault as Error)?.message ?? fault).slice(0, maxMessageLength) };
    }
    const lastRun = { startedAt, durationMs: this.#clock.now() - startedAt };
    this.#statuses.set(task.name, { name: task.name, periodMs: task.everyMs, lastRun, lastError: error });
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
