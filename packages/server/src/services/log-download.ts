// One download of a bot's stored log: pages as fast as they are taken, so that a slow client keeps nothing in memory.
// Ends when its caller may no longer read. Must not know how lines are written.
import type { Caller } from '../domain/access.ts';
import type { Bot } from '../domain/bot.ts';
import type { LogFilter } from '../domain/log-line.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogPage } from '../logs/line-store.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { BotStore } from '../store/bots.ts';
import type { AccountsService } from './accounts.ts';

const checkMs = 4000;

interface Parts {
  accounts: AccountsService;
  store: BotStore;
  logs: LogStore;
  clock: Clock;
}

/** Times in ms. */
interface Wanted {
  since?: number | undefined;
  until?: number | undefined;
  contains?: string | undefined;
  filter: LogFilter;
}

export class LogDownload {
  readonly caller: Caller;
  readonly bot: Bot;
  /** When it was opened, ms since the epoch. */
  readonly at: number;
  readonly #parts: Parts;
  readonly #wanted: Wanted;
  readonly #closing = new AbortController();
  #checkedAt: number;

  constructor(parts: Parts, caller: Caller, bot: Bot, wanted: Wanted) {
    this.#parts = parts;
    this.caller = caller;
    this.bot = bot;
    this.at = parts.clock.now();
    this.#wanted = wanted;
    this.#checkedAt = this.at;
  }

  /** Aborted once the download was closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** The server has to end it, whole or not. */
  end(_reason: string): void {
    this.close();
  }

  /** Idempotent. */
  close(): void {
    this.#closing.abort();
  }

  /** Rejects when it was closed before all was read: a part must not look like the whole. To be iterated once. */
  async *pages(): AsyncGenerator<LogPage, void> {
    const { logs } = this.#parts;
    for await (const page of logs.scan(this.bot.id, { ...this.#wanted, signal: this.signal })) {
      await this.#check();
      this.signal.throwIfAborted();
      yield page;
    }
    this.signal.throwIfAborted();
  }

  async #check(): Promise<void> {
    const { accounts, store, clock } = this.#parts;
    if (clock.now() - this.#checkedAt < checkMs) return;
    this.#checkedAt = clock.now();
    if (!(await accounts.stillValid(this.caller)) || !(await store.find(this.bot.id))) this.close();
  }
}
