// One reader of a bot's live log: merges its lines with the changes of its status, in the order in which they happened.
// Pulled by its reader: while that stands still, nothing is read or kept. Must not know how events are sent.
import type { LogEndReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { Bot, Exit } from '../../core/domain/bot.ts';
import { BotelError } from '../../core/domain/errors.ts';
import type { LogFilter } from '../../core/domain/log-line.ts';
import { statusOf, statusReasonOf } from '../../core/domain/status.ts';
import type { Clock, Timer } from '../../core/lib/clock.ts';
import type { TailStart } from '../../core/logs/line-store.ts';
import type { LogBatch, LogGap } from '../../core/logs/log-batch.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { AccountsService } from './accounts.ts';
import type { BotsService, BotView } from '../../core/services/bots.ts';

/** How often the caller's session is asked for, and changes that nobody announces are looked for. */
const checkMs = 4000;
const pingMs = 15_000;

/** `lines`: encoded lines, at least one. `exit` comes after the lines of its run. `at` is ms since the epoch. */
export type LogEvent =
  | { kind: 'lines'; batch: LogBatch }
  | { kind: 'gap'; gap: LogGap }
  | { kind: 'status'; view: BotView }
  | { kind: 'exit'; exit: Exit }
  | { kind: 'ping'; at: number }
  | { kind: 'end'; reason: LogEndReason };

interface Parts {
  bots: BotsService;
  accounts: AccountsService;
  store: BotReader;
  logs: LogStore;
  clock: Clock;
}

interface Options {
  start: TailStart;
  filter: LogFilter;
}

export class LogEventStream {
  readonly caller: Caller;
  readonly #parts: Parts;
  readonly #bot: Bot;
  readonly #options: Options;
  readonly #ending = new AbortController();
  readonly #closing = new AbortController();
  readonly #release: (() => void)[] = [];
  /** Wakes the reader's loop. */
  #ring: () => void = () => {};
  /** The bot may have changed since it was looked at. */
  #changed = false;
  #pingDue = false;
  #failure: unknown = null;
  /** What the tail has next, and the place (sequence number) up to which its lines were given out. */
  #next: LogBatch | LogGap | null = null;
  #place = -1;

  constructor(parts: Parts, caller: Caller, bot: Bot, options: Options) {
    this.#parts = parts;
    this.caller = caller;
    this.#bot = bot;
    this.#options = options;
    this.#release.push(
      parts.store.changed.on(bot.id, () => this.#wake(() => (this.#changed = true))),
      this.#every(pingMs, async () => this.#wake(() => (this.#pingDue = true))),
      this.#every(checkMs, () => this.#check()),
    );
  }

  /** Aborted once the stream was closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted once the stream has to end; a reader that still reads gets `end` as its last event. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: LogEndReason): void {
    this.#wake(() => this.#ending.abort(reason));
  }

  /** Releases everything; the iteration ends. Idempotent. */
  close(): void {
    for (const release of this.#release.splice(0)) release();
    this.#wake(() => this.#closing.abort());
  }

  /** Status first, then what happens, until `end` or `close`. To be iterated once. Rejects when the store fails. */
  async *events(): AsyncGenerator<LogEvent, void> {
    const { logs } = this.#parts;
    const { start, filter } = this.#options;
    const tail = logs.tail(this.#bot.id, start, { filter, signal: this.signal });
    let shown = await this.#look();
    if (shown) yield { kind: 'status', view: shown };
    this.#pull(tail);
    let statusAfter: number | null = null;
    while (!this.signal.aborted) {
      if (this.#failure) throw this.#failure;
      if (this.ending.aborted) return yield { kind: 'end', reason: this.ending.reason };
      if (this.#changed) {
        this.#changed = false;
        // Lines that were committed before the change come before it.
        statusAfter = await logs.lastSeq(this.#bot.id);
      }
      if (statusAfter !== null && this.#place >= statusAfter) {
        statusAfter = null;
        const view = await this.#look();
        if (view && isNewExit(shown, view)) yield { kind: 'exit', exit: view.bot.observed.lastExit! };
        if (view && statusKey(view) !== statusKey(shown)) yield { kind: 'status', view };
        shown = view ?? shown;
      } else if (this.#pingDue) {
        this.#pingDue = false;
        yield { kind: 'ping', at: this.#parts.clock.now() };
      } else if (this.#next) {
        const next = this.#next;
        this.#next = null;
        if (next.kind === 'gap') yield { kind: 'gap', gap: next };
        else if (next.lines.length > 0) yield { kind: 'lines', batch: next };
        this.#place = next.kind === 'gap' ? next.to : next.last;
        this.#pull(tail);
      } else {
        await this.#woken();
      }
    }
  }

  #pull(tail: AsyncGenerator<LogBatch | LogGap, void>): void {
    tail.next().then(
      ({ value }) => this.#wake(() => (this.#next = value ?? null)),
      (error) => this.#wake(() => (this.#failure = error)),
    );
  }

  /** The bot as it is now; ends the stream when it is gone. */
  async #look(): Promise<BotView | null> {
    try {
      return await this.#parts.bots.view(this.caller, this.#bot.id);
    } catch (error) {
      if (!(error instanceof BotelError && error.code === 'bot_not_found')) throw error;
      this.end('deleted');
      return null;
    }
  }

  async #check(): Promise<void> {
    const { accounts, store } = this.#parts;
    try {
      if (!(await accounts.stillValid(this.caller))) this.end('unauthorized');
      else if (!(await store.find(this.#bot.id))) this.end('deleted');
    } catch (error) {
      this.#wake(() => (this.#failure = error));
    }
    this.#wake(() => (this.#changed = true));
  }

  #wake(change: () => void): void {
    change();
    this.#ring();
  }

  /** Resolves at once when something has happened since the loop looked. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
      if (this.#failure || this.ending.aborted || this.#changed || this.#pingDue || this.#next || this.signal.aborted)
        resolve();
    });
  }

  /** Runs `work` every `periodMs`; returns what stops it. */
  #every(periodMs: number, work: () => Promise<void>): () => void {
    let timer: Timer;
    const arm = () => {
      timer = this.#parts.clock.after(periodMs, () => {
        arm();
        void work();
      });
    };
    arm();
    return () => timer.cancel();
  }
}

/** Whether `view` has an end that was not shown yet. */
export function isNewExit(shown: BotView | null, { bot }: BotView): boolean {
  const [before, now] = [shown?.bot.observed.lastExit, bot.observed.lastExit];
  return now !== null && (now.run !== before?.run || now.at !== before.at);
}

/** Everything that a status event tells. */
export function statusKey(view: BotView | null): string {
  if (!view) return '';
  const { bot, engineAvailable, phase } = view;
  return JSON.stringify([statusOf(bot), statusReasonOf(bot, engineAvailable), phase, bot.observed.retryAt]);
}
