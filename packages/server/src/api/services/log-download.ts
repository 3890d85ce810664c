// Download of a stored log, one page at a time in memory. Ends when its caller loses access.
import type { Caller } from '../../core/domain/access.ts';
import type { LogFilter, LogLine, LogText } from '../../core/domain/log-line.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { LineStore, LogBounds, LogPage } from '../../core/logs/line-store.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';

const checkMs = 4000;

interface Deps {
  accounts: Pick<Authenticator, 'stillValid'>;
  clock: Clock;
}

/** The owner of a log: a bot or an app. */
export interface LogSubject<Line extends LogLine> {
  key: string;
  name: string;
  lines: Pick<LineStore<Line>, 'scan'>;
  isThere(): Promise<boolean>;
}

type Wanted = LogBounds & { filter: LogFilter };

export class LogDownload<Line extends LogLine = LogText> {
  readonly caller: Caller;
  readonly subject: LogSubject<Line>;
  /** Opening time, in ms since the epoch. */
  readonly at: number;
  readonly #deps: Deps;
  readonly #wanted: Wanted;
  readonly #closing = new AbortController();
  #checkedAt: number;

  constructor(deps: Deps, caller: Caller, subject: LogSubject<Line>, wanted: Wanted) {
    this.#deps = deps;
    this.caller = caller;
    this.subject = subject;
    this.at = deps.clock.now();
    this.#wanted = wanted;
    this.#checkedAt = this.at;
  }

  /** Aborted once the download is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends the download, complete or not. */
  end(_reason: string): void {
    this.close();
  }

  /** Idempotent. */
  close(): void {
    this.#closing.abort();
  }

  /** Rejects when closed before its end: a part must not look complete. Iterate once. */
  async *pages(): AsyncGenerator<LogPage<Line>, void> {
    const { key, lines } = this.subject;
    for await (const page of lines.scan(key, { ...this.#wanted, signal: this.signal })) {
      await this.#check();
      this.signal.throwIfAborted();
      yield page;
    }
    this.signal.throwIfAborted();
  }

  async #check(): Promise<void> {
    const { accounts, clock } = this.#deps;
    if (clock.now() - this.#checkedAt < checkMs) return;
    this.#checkedAt = clock.now();
    if (!(await accounts.stillValid(this.caller)) || !(await this.subject.isThere())) this.close();
  }
}
