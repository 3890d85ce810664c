// Suspensions of bots by admins. A bot's contents stay private to its owner.
import type { Caller } from '../../core/domain/access.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { fail } from '../../core/domain/errors.ts';
import { suspensionEvent } from '../../core/domain/event.ts';
import { mayHaveContainer } from '../../core/domain/status.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { isUuid } from '../../core/lib/ids.ts';
import type { BotStore } from '../../core/store/bots.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';

interface Deps {
  database: Database;
  bots: BotStore;
  events: Pick<EventStore, 'add'>;
  clock: Clock;
}

export class SuspensionsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `suspension`: the reason ('' = none given), which stops the bot; null lifts it. */
  async set(caller: Caller, botId: string, suspension: string | null): Promise<Bot> {
    const { database, bots, events, clock } = this.#deps;
    return database.transaction(async () => {
      const bot = isUuid(botId) ? await bots.find(botId.toLowerCase()) : null;
      if (!bot) throw fail.botNotFound();
      if (bot.suspension === suspension) return bot;
      await bots.suspend(bot.id, suspension, clock.now());
      await events.add(bot, suspensionEvent(bot, suspension), { at: clock.now(), userId: caller.userId });
      const runs = bot.desired.state === 'running' || mayHaveContainer(bot);
      if (suspension !== null && runs) await this.#takeDown(bot);
      return (await bots.find(bot.id)) ?? bot;
    });
  }

  /** The new generation also ends builds. */
  #takeDown({ id, desired }: Bot): Promise<void> {
    const { bots, clock } = this.#deps;
    const generation = desired.generation + 1;
    return bots.setDesired(id, { state: 'stopped', generation, kill: false, graceSeconds: null }, clock.now());
  }
}
