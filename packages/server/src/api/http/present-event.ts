// Converts events to the JSON of the contract. Pure.
import type { BotEventData, EventListData } from '@botel/contract/bot-events';
import type { BotEvent } from '../../core/domain/event.ts';
import type { EventPage } from '../services/events.ts';
import { isoTime } from '../../core/http/present.ts';

export function presentEvent({ id, at, botId, type, actor, message, detail }: BotEvent): BotEventData {
  return { id, at: isoTime(at), bot_id: botId, type, actor, message, detail };
}

export function presentEvents({ events, count, nextCursor }: EventPage): EventListData {
  return { events: events.map(presentEvent), count, next_cursor: nextCursor };
}
