// Encodes events of bots as server-sent events or NDJSON. Must not know sockets.
import type { StreamEvent } from '../services/event-stream.ts';
import { frameNdjson, frameServerSent } from './log-frames.ts';
import { isoTime, presentBot, presentExit, presentUsage } from './present.ts';
import { presentEvent } from './present-event.ts';

export interface EventFormat {
  mediaType: string;
  /** Sent before the first event. */
  opening: string;
  encode(event: StreamEvent): string;
}

export const serverSentEvents: EventFormat = {
  mediaType: 'text/event-stream',
  opening: 'retry: 3000\n\n',
  encode: (event) => frameServerSent(event.kind, idOf(event), JSON.stringify(dataOf(event))),
};

export const ndjson: EventFormat = {
  mediaType: 'application/x-ndjson',
  opening: '',
  encode: (event) => frameNdjson(event.kind, idOf(event), JSON.stringify(dataOf(event))),
};

function idOf(event: StreamEvent): string | null {
  return event.kind === 'event' ? String(event.event.id) : null;
}

function dataOf(event: StreamEvent): unknown {
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
