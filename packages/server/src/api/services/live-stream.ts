// Base of live streams: one reader pulls, so nothing is buffered while it stalls; pings while idle;
// a last event with the reason of the end.
import type { Caller } from '../../core/domain/access.ts';
import type { Clock, Timer } from '../../core/lib/clock.ts';

const pingMs = 15_000;
/** How soon a revoked session ends a stream. */
const checkMs = 4_000;

/** `at` is ms since the epoch. */
export type StreamControl<Reason extends string> = { kind: 'ping'; at: number } | { kind: 'end'; reason: Reason };

export interface LiveStreamDeps {
  accounts: { stillValid(caller: Caller): Promise<boolean> };
  clock: Clock;
}

export abstract class LiveStream<Event, Reason extends string> {
  readonly caller: Caller;
  readonly #deps: LiveStreamDeps;
  readonly #ending = new AbortController();
  readonly #closing = new AbortController();
  readonly #releases = new Set<() => void>();
  #pingDue = false;
  #failure: unknown = null;
  /** Set when something happened since the reader's current round began; `wake` ends its wait. */
  #isNotified = false;
  #wake: () => void = () => {};

  constructor(deps: LiveStreamDeps, caller: Caller) {
    this.#deps = deps;
    this.caller = caller;
    this.every(pingMs, () => {
      this.#pingDue = true;
    });
    this.every(checkMs, async () => {
      if (!(await deps.accounts.stillValid(caller))) this.#abort('unauthorized');
      else await this.check();
    });
  }

  /** Aborted once the stream is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted once the stream has to end; an active reader gets `end` as its last event. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: Reason | 'server_stopping'): void {
    this.#abort(reason);
  }

  /** Releases all resources; the iteration ends. Idempotent. */
  close(): void {
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#closing.abort();
    this.notify();
  }

  /** Yields all events until `end` or `close`. Iterate once. Rejects when the store fails. */
  async *events(): AsyncGenerator<Event | StreamControl<Reason>, void> {
    yield* this.begin();
    while (!this.signal.aborted) {
      if (this.#failure) throw this.#failure;
      if (this.ending.aborted) return yield { kind: 'end', reason: this.ending.reason };
      this.#isNotified = false;
      if (this.#pingDue) {
        this.#pingDue = false;
        yield { kind: 'ping', at: this.#deps.clock.now() };
        continue;
      }
      const due = this.next();
      if (due) yield* due;
      else await this.#notified();
    }
  }

  /** The first events. */
  protected abstract begin(): Iterable<Event> | AsyncIterable<Event>;

  /** The events due now, null when there are none. Called again after each `notify`. */
  protected abstract next(): Iterable<Event> | AsyncIterable<Event> | null;

  /** Polls for changes without notifications. */
  protected abstract check(): Promise<void>;

  /** Wakes the reader. */
  protected notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** Rejects the reader's iteration with `error`. */
  protected fail(error: unknown): void {
    this.#failure = error;
    this.notify();
  }

  /** Registers `release` to run when the stream closes. */
  protected onClose(release: () => void): void {
    this.#releases.add(release);
  }

  /** Runs `work` every `periodMs` and then wakes the reader, until the stream closes. */
  protected every(periodMs: number, work: () => void | Promise<void>): void {
    let timer: Timer;
    const arm = () => {
      timer = this.#deps.clock.after(periodMs, () => {
        arm();
        void run();
      });
    };
    const run = async () => {
      try {
        await work();
        this.notify();
      } catch (error) {
        this.fail(error);
      }
    };
    arm();
    this.onClose(() => timer.cancel());
  }

  #abort(reason: string): void {
    this.#ending.abort(reason);
    this.notify();
  }

  #notified(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#isNotified) resolve();
    });
  }
}
