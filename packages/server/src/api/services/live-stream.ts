// What all live streams share: pulled by one reader, so that nothing is read or kept while it
// stands still; a ping while nothing happens; a last event that says why it ends.
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
  /** Something happened since the reader's loop began its round; `wake` ends its wait. */
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

  /** Aborted once the stream was closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted once the stream has to end; a reader that still reads gets `end` as its last event. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: Reason | 'server_stopping'): void {
    this.#abort(reason);
  }

  /** Releases everything; the iteration ends. Idempotent. */
  close(): void {
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#closing.abort();
    this.notify();
  }

  /**
   * What `begin` yields, then what happens, until `end` or `close`. To be iterated once. Rejects
   * when the store fails.
   */
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

  /** What is due now, null when nothing is. Asked again after each `notify`. */
  protected abstract next(): Iterable<Event> | AsyncIterable<Event> | null;

  /** Looks for what nobody announces. */
  protected abstract check(): Promise<void>;

  /** Wakes the reader. */
  protected notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** The reader's iteration rejects with `error`. */
  protected fail(error: unknown): void {
    this.#failure = error;
    this.notify();
  }

  /** Called when the stream is closed. */
  protected onClose(release: () => void): void {
    this.#releases.add(release);
  }

  /** Runs `work`, and wakes the reader after it, every `periodMs` until the stream is closed. */
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
