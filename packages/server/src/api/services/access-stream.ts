// One reader of the requests to an app as they are stored. Pulled by its reader: while that stands still, nothing is read or kept.
// Lines may come from another process, the gateway's: it is asked for them. Must not know how events are sent.
import type { Caller } from '../../core/domain/access.ts';
import type { AccessLine } from '../../core/domain/log-line.ts';
import type { Clock, Timer } from '../../core/lib/clock.ts';
import type { LineStore, TailStart } from '../../core/logs/line-store.ts';
import type { LogBatch, LogGap } from '../../core/logs/log-batch.ts';
import type { AccountsService } from './accounts.ts';
import type { LogEvent } from './log-event-stream.ts';

const lookMs = 500;
const checkMs = 4_000;
const pingMs = 15_000;

export type AccessEvent = Extract<LogEvent, { kind: 'lines' | 'gap' | 'ping' | 'end' }>;

interface Parts {
  accounts: Pick<AccountsService, 'stillValid'>;
  lines: Pick<LineStore<AccessLine>, 'tail' | 'noteCommitted'>;
  clock: Clock;
}

/** Which app, and whether it is still there. */
interface Subject {
  appId: string;
  isThere(): Promise<boolean>;
}

export class AccessStream {
  readonly caller: Caller;
  readonly #parts: Parts;
  readonly #subject: Subject;
  readonly #start: TailStart;
  readonly #ending = new AbortController();
  readonly #closing = new AbortController();
  readonly #timers = new Set<Timer>();
  #ring: () => void = () => {};
  #next: LogBatch | LogGap | null = null;
  #pingDue = false;
  #failure: unknown = null;

  constructor(parts: Parts, caller: Caller, subject: Subject, start: TailStart) {
    this.#parts = parts;
    this.caller = caller;
    this.#subject = subject;
    this.#start = start;
    this.#every(lookMs, () => parts.lines.noteCommitted(subject.appId));
    this.#every(checkMs, () => this.#check());
    this.#every(pingMs, async () => this.#wake(() => (this.#pingDue = true)));
  }

  /** Aborted once the stream was closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted once the stream has to end; a reader that still reads gets `end` as its last event. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: Extract<AccessEvent, { kind: 'end' }>['reason']): void {
    this.#wake(() => this.#ending.abort(reason));
  }

  /** Releases everything; the iteration ends. Idempotent. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#wake(() => this.#closing.abort());
  }

  /** What happens, until `end` or `close`. To be iterated once. Rejects when the store fails. */
  async *events(): AsyncGenerator<AccessEvent, void> {
    const { lines, clock } = this.#parts;
    const tail = lines.tail(this.#subject.appId, this.#start, { signal: this.signal });
    this.#pull(tail);
    while (!this.signal.aborted) {
      if (this.#failure) throw this.#failure;
      if (this.ending.aborted) return yield { kind: 'end', reason: this.ending.reason };
      if (this.#pingDue) {
        this.#pingDue = false;
        yield { kind: 'ping', at: clock.now() };
      } else if (this.#next) {
        const next = this.#next;
        this.#next = null;
        if (next.kind === 'gap') yield { kind: 'gap', gap: next };
        else if (next.lines.length > 0) yield { kind: 'lines', batch: next };
        this.#pull(tail);
      } else await this.#woken();
    }
  }

  #pull(tail: AsyncGenerator<LogBatch | LogGap, void>): void {
    tail.next().then(
      ({ value }) => this.#wake(() => (this.#next = value ?? null)),
      (error) => this.#wake(() => (this.#failure = error)),
    );
  }

  async #check(): Promise<void> {
    if (!(await this.#parts.accounts.stillValid(this.caller))) this.end('unauthorized');
    else if (!(await this.#subject.isThere())) this.end('deleted');
  }

  #wake(change: () => void): void {
    change();
    this.#ring();
  }

  /** Resolves at once when something has happened since the loop looked. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
      if (this.#failure || this.ending.aborted || this.#pingDue || this.#next || this.signal.aborted) resolve();
    });
  }

  #every(periodMs: number, work: () => Promise<void>): void {
    const timer = this.#parts.clock.after(periodMs, () => {
      this.#timers.delete(timer);
      this.#every(periodMs, work);
      work().catch((error) => this.#wake(() => (this.#failure = error)));
    });
    this.#timers.add(timer);
  }
}
