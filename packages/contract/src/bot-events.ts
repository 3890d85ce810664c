// What happened to bots: lists of events, and the events of the stream of all bots.
import { z } from 'zod';
import { exit } from './bots.ts';
import { cursor, oneOf, queryNumber, uuid } from './input.ts';
import { usageNow } from './metrics.ts';
import { actorKinds, eventTypes, statuses, streamEndReasons, vias } from './vocabulary.ts';

const page = {
  limit: queryNumber(1, 100, 50),
  cursor: cursor(),
  type: oneOf(eventTypes).optional(),
};

export const botEventsQuery = z.object(page);

export const eventsQuery = z.object({ ...page, bot_id: uuid().optional() });

export const botEvent = z.strictObject({
  id: z.number(),
  at: z.string(),
  bot_id: z.string(),
  type: z.enum(eventTypes),
  /** `via`: where a user's call came from, where that is known. */
  actor: z.strictObject({
    kind: z.enum(actorKinds),
    id: z.string().nullable(),
    name: z.string(),
    via: z.enum(vias).optional(),
  }),
  message: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

export const eventList = z.strictObject({
  events: z.array(botEvent),
  count: z.number(),
  next_cursor: z.string().nullable(),
});

/** Data of each event of the stream; the id of an `event` is its own. */
export const streamEvents = {
  event: botEvent,
  'bot.status': z.strictObject({
    bot_id: z.string(),
    status: z.enum(statuses),
    status_reason: z.string().nullable(),
    phase: z.string().nullable(),
    next_restart_at: z.string().nullable(),
  }),
  'bot.exit': z.strictObject({ bot_id: z.string(), ...exit.shape }),
  'bot.usage': z.strictObject({ bot_id: z.string(), ...usageNow.shape }),
  ping: z.strictObject({ ts: z.string() }),
  end: z.strictObject({ reason: z.enum(streamEndReasons) }),
} as const;

export type BotEventData = z.infer<typeof botEvent>;
export type EventListData = z.infer<typeof eventList>;
