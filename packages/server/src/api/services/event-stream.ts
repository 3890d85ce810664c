// One reader of what happens to all bots of a caller: events, changes of status, ends of runs and numbers. Pulled by its
// reader: while that stands still, nothing is read or kept but which bots to look at. Must not know how events are sent.
import type { StreamEndReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { Exit } from '../../core/domain/bot.ts';
import { BotelError } from '../../core/domain/errors.ts';
import type { BotEvent } from '../../core/domain/event.ts';
import type { Clock, Timer } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';
import type { AccountsService } from './accounts.ts';
import type { BotsService, BotView } from '../../core/services/bots.ts';
import { isNewExit, statusKey } from './log-event-stream.ts';

/** How often the caller's session is asked for, and changes that nobody announces are looked for. */
const checkMs = 4_000;
const usageMs = 5_000;
const pingMs = 15_000;
const eventsPerRead = 100;

/** `at` is ms since the epoch. */
export type StreamEvent =
  | { kind: 'event'; event: BotEvent }
  | { kind: 'bot.status'; view: BotView }
  | { kind: 'bot.exit'; botId: string; exit: Exit }
  | { kind: 'bot.usage'; view: BotView }
  | { kind: 'ping'; at: number }
  | { kind: 'end'; reason: StreamEndReason };

interface Parts {
  bots: Pick<BotsService, 'view' | 'viewOf'>;
  accounts: Pick<AccountsService, 'stillValid'>;
  store: Pick<BotReader, 'list' | 'changed'>;
  events: EventStore;
  usageCache: Pick<UsageCache, 'sample'>;
  clock: Clock;
}

/** What its reader was told of a bot. */
interface Shown {
  view: BotView;
  /** When the numbers that were sent last were taken (ms). */
  usageAt: number | null;
}

export class EventStream {
  readonly caller: Caller;
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  readonly #closing = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #release: (() => void)[];
  readonly #shown = new Map<string, Shown>();
  /** Bots that may have changed, and bots whose numbers are due. */
  readonly #changed = new Set<string>();
  readonly #usageDue = new Set<string>();
  #eventsDue = true;
  #pingDue = false;
  #failure: unknown = null;
  #lastEvent: number | null;
  /** Wakes the reader's loop. */
  #ring: () => void = () => {};

  /** `after`: the id of the last event that the reader has; null = only what happens from now on. */
  constructor(parts: Parts, caller: Caller, after: number | null) {
    this.#parts = parts;
    this.caller = caller;
    this.#lastEvent = after;
    this.#release = [
      parts.events.added.on(caller.userId, () => this.#wake(() => (this.#eventsDue = true))),
      parts.store.changed.onAny((botId) => {
        if (this.#shown.has(botId)) this.#wake(() => this.#changed.add(botId));
      }),
    ];
    this.#every(pingMs, () => (this.#pingDue = true));
    this.#every(usageMs, () => this.#shown.forEach((_, botId) => this.#usageDue.add(botId)));
    this.#every(checkMs, () => void this.#check());
  }

  /** Aborted once the stream was closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted once the stream has to end; a reader that still reads gets `end` as its last event. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: StreamEndReason): void {
    this.#wake(() => this.#ending.abort(reason));
  }

  /** Releases everything; the iteration ends. Idempotent. */
  close(): void {
    for (const release of this.#release.splice(0)) release();
    for (const timer of this.#timers) timer.cancel();
    this.#wake(() => this.#closing.abort());
  }

  /** The status of every bot first, then what happens, until `end` or `close`. To be iterated once. Rejects when the store fails. */
  async *events(): AsyncGenerator<StreamEvent, void> {
    this.#lastEvent ??= await this.#parts.events.lastId();
    for (const bot of await this.#parts.store.list({ ownerId: this.caller.userId, sort: 'created' })) {
      const view = await this.#parts.bots.viewOf(bot);
      this.#shown.set(bot.id, { view, usageAt: null });
      yield { kind: 'bot.status', view };
    }
    while (!this.signal.aborted) {
      if (this.#failure) throw this.#failure;
      if (this.ending.aborted) return yield { kind: 'end', reason: this.ending.reason };
      if (this.#eventsDue) yield* this.#newEvents();
      else if (this.#changed.size > 0) yield* this.#changesOf(taken(this.#changed));
      else if (this.#usageDue.size > 0) yield* this.#usageOf(taken(this.#usageDue));
      else if (this.#pingDue) {
        this.#pingDue = false;
        yield { kind: 'ping', at: this.#parts.clock.now() };
      } else await this.#woken();
    }
  }

  async *#newEvents(): AsyncGenerator<StreamEvent, void> {
    this.#eventsDue = false;
    const events = await this.#parts.events.next(this.caller.userId, this.#lastEvent ?? 0, eventsPerRead);
    if (events.length === eventsPerRead) this.#eventsDue = true;
    for (const event of events) {
      this.#lastEvent = event.id;
      // Also a bot that was not there before.
      this.#changed.add(event.botId);
      yield { kind: 'event', event };
    }
  }

  async *#changesOf(botId: string): AsyncGenerator<StreamEvent, void> {
    const before = this.#shown.get(botId);
    const view = await this.#look(botId);
    if (!view) return;
    this.#shown.set(botId, { view, usageAt: before?.usageAt ?? null });
    const { lastExit } = view.bot.observed;
    if (lastExit && isNewExit(before?.view ?? null, view)) yield { kind: 'bot.exit', botId, exit: lastExit };
    if (statusKey(view) !== statusKey(before?.view ?? null)) yield { kind: 'bot.status', view };
  }

  async *#usageOf(botId: string): AsyncGenerator<StreamEvent, void> {
    const shown = this.#shown.get(botId);
    const sample = shown && this.#parts.usageCache.sample(botId, shown.view.bot.observed.run);
    if (!sample || sample.at === shown.usageAt) return;
    const view = await this.#look(botId);
    if (!view?.usage) return;
    shown.usageAt = view.usage.at;
    yield { kind: 'bot.usage', view };
  }

  /** The bot as it is now; null, and forgotten, when it is gone. */
  async #look(botId: string): Promise<BotView | null> {
    try {
      return await this.#parts.bots.view(this.caller, botId);
    } catch (error) {
      if (!(error instanceof BotelError && error.code === 'bot_not_found')) throw error;
      this.#shown.delete(botId);
      return null;
    }
  }

  async #check(): Promise<void> {
    try {
      if (!(await this.#parts.accounts.stillValid(this.caller))) this.end('unauthorized');
    } catch (error) {
      this.#wake(() => (this.#failure = error));
    }
    this.#wake(() => this.#shown.forEach((_, botId) => this.#changed.add(botId)));
  }

  #wake(change: () => void): void {
    change();
    this.#ring();
  }

  /** Resolves at once when something has happened since the loop looked. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
      const isDue = this.#eventsDue || this.#pingDue || this.#changed.size > 0 || this.#usageDue.size > 0;
      if (isDue || this.#failure || this.ending.aborted || this.signal.aborted) resolve();
    });
  }

  #every(periodMs: number, work: () => void): void {
    const timer = this.#parts.clock.after(periodMs, () => {
      this.#timers.delete(timer);
      this.#every(periodMs, work);
      this.#wake(work);
    });
    this.#timers.add(timer);
  }
}

/** Takes one out of a set that is not empty. */
function taken(set: Set<string>): string {
  const [first = ''] = set;
  set.delete(first);
  return first;
}
