// Applies an event of GET /events/stream to cached data. Pure.
import type { BotData } from '@botel/contract/bots';
import type { ServerEvent } from '@botel/contract/events';
import { joinPoints } from '../lib/metric-points.ts';
import type { BotRecentMetrics, BotList } from './queries.ts';

/** The bot fields an event carries; null if none. */
export function changeOf({ event, data }: ServerEvent): { botId: string; fields: Partial<BotData> } | null {
  const { bot_id: botId, ...rest } = data as { bot_id?: string };
  if (botId === undefined) return null;
  switch (event) {
    case 'bot.status':
      return { botId, fields: rest };
    case 'bot.usage': {
      const usage = rest as NonNullable<BotData['usage']>;
      return { botId, fields: { usage, uptime_seconds: usage.uptime_seconds } };
    }
    case 'bot.exit':
      return { botId, fields: { last_exit: rest as NonNullable<BotData['last_exit']> } };
    default:
      return null;
  }
}

/** The list with the change applied; the same list if the bot isn't in it. */
export function patchList(list: BotList, botId: string, fields: Partial<BotData>): BotList {
  if (!list.bots.some(({ id }) => id === botId)) return list;
  return { ...list, bots: list.bots.map((bot) => (bot.id === botId ? { ...bot, ...fields } : bot)) };
}

/** The metrics with one more point of a bot. */
export function patchRecentMetrics(
  curves: Record<string, BotRecentMetrics>,
  botId: string,
  usage: NonNullable<BotData['usage']>,
): Record<string, BotRecentMetrics> {
  const { uptimePercent = null, points = [] } = curves[botId] ?? {};
  const { at, cpu_percent, memory_mb } = usage;
  return { ...curves, [botId]: { uptimePercent, points: joinPoints(points, [{ at, cpu_percent, memory_mb }]) } };
}

/** Whether the bot starts or ends something: then more has changed than the event says. */
export function isTurn(bot: BotData | undefined, fields: Partial<BotData>): boolean {
  return bot !== undefined && fields.status !== undefined && fields.status !== bot.status;
}

/** Delay before the next try, in ms: 1 to 30 s with jitter. `chance` is 0 to 1. */
export function backOffMs(failures: number, chance: number): number {
  return Math.min(30_000, 1000 * 2 ** Math.max(0, failures - 1)) * (0.75 + chance / 2);
}
