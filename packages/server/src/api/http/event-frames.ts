// Encodes the event stream of a caller's bots. Only events with an id can be resumed after.
import type { StreamEvent } from '../services/event-stream.ts';
import { isoTime, presentBot, presentExit, presentUsage } from '../../core/http/present.ts';
import { presentEvent } from './present-event.ts';
import type { StreamFormat } from './stream-format.ts';

export function encodeStreamEvent(event: StreamEvent, format: StreamFormat): Buffer {
  const id = event.kind === 'event' ? String(event.event.id) : null;
  return Buffer.from(format.frame(event.kind, id, JSON.stringify(toData(event))));
}

function toData(event: StreamEvent): unknown {
  switch (event.kind) {
    case 'event':
      return presentEvent(event.event);
    case 'bot.status': {
      const { id, status, status_reason, phase, next_restart_at } = presentBot(event.view);
      return { bot_id: id, status, status_reason, phase, next_restart_at };
    }
    case 'bot.exit':
      return { bot_id: event.botId, ...presentExit(event.exit) };
    case 'bot.usage':
      return { bot_id: event.view.bot.id, ...presentUsage(event.view) };
    case 'ping':
      return { ts: isoTime(event.at) };
    case 'end':
      return { reason: event.reason };
  }
}
