// What callers may read about events of their bots.
import type { EventType } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { BotEvent } from '../../core/domain/event.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import type { BotsService } from '../../core/services/bots.ts';
import { numberCursor, numberOfCursor } from '../../core/services/page.ts';
import { EventStream } from './event-stream.ts';
import type { OpenStreams } from './open-streams.ts';

/** One page, newest first; `cursor` is opaque. */
export interface EventPageQuery {
  limit: number;
  cursor?: string | undefined;
  type?: EventType | undefined;
  /** Limits the events to one bot, which may be deleted. */
  botId?: string | undefined;
}

/** `count` is the total over all pages. */
export interface EventPage {
  events: BotEvent[];
  count: number;
  nextCursor: string | null;
}

interface Deps {
  bots: Pick<BotsService, 'own' | 'view' | 'viewOf'>;
  accounts: Pick<Authenticator, 'stillValid'>;
  store: BotReader;
  events: EventStore;
  usageCache: UsageCache;
  streams: OpenStreams;
  clock: Clock;
}

export class EventsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Events of one of the caller's bots. */
  async ofBot(caller: Caller, botId: string, query: EventPageQuery): Promise<EventPage> {
    const bot = await this.#deps.bots.own(caller, botId);
    return this.list(caller, { ...query, botId: bot.id });
  }

  /** Opens a stream of all of the caller's bots, after the event `after`; the caller closes it. */
  open(caller: Caller, after: number | null): EventStream {
    return this.#deps.streams.add(caller, () => new EventStream(this.#deps, caller, after));
  }

  /** Events of all of the caller's bots, including deleted ones. */
  async list(caller: Caller, { limit, cursor, type, botId }: EventPageQuery): Promise<EventPage> {
    const { events } = this.#deps;
    const wanted = { ownerId: caller.userId, botId: botId?.toLowerCase(), type };
    const found = await events.newest(wanted, numberOfCursor('e', cursor), limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      events: page,
      count: await events.count(wanted),
      nextCursor: last && found.length > limit ? numberCursor('e', last.id) : null,
    };
  }
}
