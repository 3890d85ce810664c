// Notifies owners when files grow past a share of their limit, again after they shrank.
import { diskEvent } from '../../core/domain/event.ts';
import { type DiskLevel, type DiskUse, diskLevel, mustStop } from '../../core/domain/quota.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { EventStore } from '../../core/store/events.ts';

const height: Record<DiskLevel, number> = { warning: 1, full: 2 };

export interface DiskLevelDeps {
  bots: Pick<BotReader, 'find' | 'desiredChanged'>;
  events: Pick<EventStore, 'add' | 'newest'>;
  clock: Clock;
}

export class DiskLevels {
  readonly #deps: DiskLevelDeps;
  /** The last level, by bot. */
  readonly #seen = new Map<string, DiskLevel | null>();

  constructor(deps: DiskLevelDeps) {
    this.#deps = deps;
  }

  /** The bot's files were counted. */
  async note(botId: string, use: DiskUse): Promise<void> {
    const { bots, events, clock } = this.#deps;
    const bot = await bots.find(botId);
    if (!bot) return;
    // The reconciler must check the bot.
    if (mustStop(use, bot.diskMb)) bots.desiredChanged.publish(botId);
    const level = diskLevel(use, bot.diskMb);
    const seen = this.#seen.get(botId);
    const before = seen === undefined && level ? await this.#lastNotified(bot.ownerId, botId) : (seen ?? null);
    this.#seen.set(botId, level);
    if (!level || (before && height[before] >= height[level])) return;
    await events.add(bot, diskEvent(bot, level, use), { at: clock.now(), userId: null });
  }

  /** Forgets the bots that are gone. */
  keep(bots: ReadonlySet<string>): void {
    for (const botId of this.#seen.keys()) if (!bots.has(botId)) this.#seen.delete(botId);
  }

  /** After a start of Botel no level is known, but an earlier process may have sent an event. */
  async #lastNotified(ownerId: string, botId: string): Promise<DiskLevel | null> {
    const last = async (level: DiskLevel) => {
      const [event] = await this.#deps.events.newest({ ownerId, botId, type: `disk.${level}` }, null, 1);
      return event?.id ?? 0;
    };
    const [warning, full] = [await last('warning'), await last('full')];
    if (full > warning) return 'full';
    return warning > 0 ? 'warning' : null;
  }
}
