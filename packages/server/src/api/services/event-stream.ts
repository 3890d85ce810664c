// Live stream of a caller's bots: events, status changes, ends of runs, and usage.
import type { StreamEndReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { Exit } from '../../core/domain/bot.ts';
import { nullOn } from '../../core/domain/errors.ts';
import type { BotEvent } from '../../core/domain/event.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';
import type { BotsService, BotView } from '../../core/services/bots.ts';
import { LiveStream, type LiveStreamDeps, type StreamControl } from './live-stream.ts';
import { isNewExit, statusKey } from './log-event-stream.ts';

const usageMs = 5_000;
const eventsPerRead = 100;

type BotsEvent =
  | { kind: 'event'; event: BotEvent }
  | { kind: 'bot.status'; view: BotView }
  | { kind: 'bot.exit'; botId: string; exit: Exit }
  | { kind: 'bot.usage'; view: BotView };

export type StreamEvent = BotsEvent | StreamControl<StreamEndReason>;

interface Deps extends LiveStreamDeps {
  bots: Pick<BotsService, 'view' | 'viewOf'>;
  store: Pick<BotReader, 'list' | 'changed'>;
  events: EventStore;
  usageCache: Pick<UsageCache, 'sample'>;
}

/** The last state of a bot sent to the reader. */
interface Shown {
  view: BotView;
  /** Sample time (ms) of the last usage sent. */
  usageAt: number | null;
}

export class EventStream extends LiveStream<BotsEvent, StreamEndReason> {
  readonly #deps: Deps;
  readonly #shown = new Map<string, Shown>();
  /** Bots that may have changed, and bots whose usage is due. */
  readonly #changed = new Set<string>();
  readonly #usageDue = new Set<string>();
  #eventsDue = true;
  #lastEvent: number | null;

  /** `after`: id of the last event that the reader has; null = only new events. */
  constructor(deps: Deps, caller: Caller, after: number | null) {
    super(deps, caller);
    this.#deps = deps;
    this.#lastEvent = after;
    this.onClose(
      deps.events.added.on(caller.userId, () => {
        this.#eventsDue = true;
        this.notify();
      }),
    );
    this.onClose(
      deps.store.changed.onAny((botId) => {
        if (!this.#shown.has(botId)) return;
        this.#changed.add(botId);
        this.notify();
      }),
    );
    this.every(usageMs, () => this.#shown.forEach((_, botId) => this.#usageDue.add(botId)));
  }

  /** The status of every bot. */
  protected async *begin(): AsyncGenerator<BotsEvent, void> {
    const { events, store, bots } = this.#deps;
    this.#lastEvent ??= await events.lastId();
    for (const bot of await store.list({ ownerId: this.caller.userId, sort: 'created' })) {
      const view = await bots.viewOf(bot);
      this.#shown.set(bot.id, { view, usageAt: null });
      yield { kind: 'bot.status', view };
    }
  }

  protected next(): AsyncIterable<BotsEvent> | null {
    if (this.#eventsDue) return this.#newEvents();
    if (this.#changed.size > 0) return this.#changesOf(takeOne(this.#changed));
    return this.#usageDue.size > 0 ? this.#usageOf(takeOne(this.#usageDue)) : null;
  }

  protected async check(): Promise<void> {
    for (const botId of this.#shown.keys()) this.#changed.add(botId);
  }

  async *#newEvents(): AsyncGenerator<BotsEvent, void> {
    this.#eventsDue = false;
    const events = await this.#deps.events.next(this.caller.userId, this.#lastEvent ?? 0, eventsPerRead);
    if (events.length === eventsPerRead) this.#eventsDue = true;
    for (const event of events) {
      this.#lastEvent = event.id;
      // Includes bots that did not exist before.
      this.#changed.add(event.botId);
      yield { kind: 'event', event };
    }
  }

  async *#changesOf(botId: string): AsyncGenerator<BotsEvent, void> {
    const before = this.#shown.get(botId);
    const view = await this.#view(botId);
    if (!view) return;
    this.#shown.set(botId, { view, usageAt: before?.usageAt ?? null });
    const { lastExit } = view.bot.observed;
    if (lastExit && isNewExit(before?.view ?? null, view)) yield { kind: 'bot.exit', botId, exit: lastExit };
    if (statusKey(view) !== statusKey(before?.view ?? null)) yield { kind: 'bot.status', view };
  }

  async *#usageOf(botId: string): AsyncGenerator<BotsEvent, void> {
    const shown = this.#shown.get(botId);
    const sample = shown && this.#deps.usageCache.sample(botId, shown.view.bot.observed.run);
    if (!sample || sample.at === shown.usageAt) return;
    const view = await this.#view(botId);
    if (!view?.usage) return;
    shown.usageAt = view.usage.at;
    yield { kind: 'bot.usage', view };
  }

  /** The current view of the bot; forgets the bot and returns null when it is gone. */
  async #view(botId: string): Promise<BotView | null> {
    const view = await nullOn('bot_not_found', this.#deps.bots.view(this.caller, botId));
    if (!view) this.#shown.delete(botId);
    return view;
  }
}

/** Removes and returns an element of a non-empty set. */
function takeOne(set: Set<string>): string {
  const [first = ''] = set;
  set.delete(first);
  return first;
}
