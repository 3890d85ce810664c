// Encodes events of the log stream as server-sent events or NDJSON (docs/specification.md). Lines
// go out as stored; a batch that many clients read is encoded once. Must not know sockets.
import { isDropped, seqOf } from '../../core/domain/log-line.ts';
import type { LogEvent } from '../services/log-event-stream.ts';
import { isoTime, presentBot, presentExit } from './present.ts';

export interface LogFormat {
  mediaType: string;
  /** Sent before the first event. */
  opening: Buffer;
  encode(event: LogEvent): Buffer;
}

/** Encodes one event; `data` is JSON, `id` digits or null. */
type Frame = (event: string, id: string | null, data: string) => string;

export const frameServerSent: Frame = (event, id, data) =>
  id === null ? `event: ${event}\ndata: ${data}\n\n` : `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

export const frameNdjson: Frame = (event, id, data) => `{"event":"${event}","id":${id},"data":${data}}\n`;

export const serverSentEvents = logFormat('text/event-stream', 'retry: 3000\n\n', frameServerSent);

export const ndjson = logFormat('application/x-ndjson', '', frameNdjson);

/** The bytes of a stream's body. */
export async function* framesOf(events: AsyncIterable<LogEvent>, format: LogFormat): AsyncGenerator<Buffer> {
  if (format.opening.length > 0) yield format.opening;
  for await (const event of events) yield format.encode(event);
}

function logFormat(mediaType: string, opening: string, frame: Frame): LogFormat {
  const encoded = new WeakMap<object, Buffer>();
  return {
    mediaType,
    opening: Buffer.from(opening),
    encode(event) {
      if (event.kind !== 'lines') return Buffer.from(frame(event.kind, null, JSON.stringify(dataOf(event))));
      let bytes = encoded.get(event.batch);
      if (!bytes) {
        bytes = Buffer.from(frameLines(event.batch.lines, frame));
        encoded.set(event.batch, bytes);
      }
      return bytes;
    },
  };
}

function frameLines(lines: readonly string[], frame: Frame): string {
  let text = '';
  for (const line of lines) text += frame(isDropped(line) ? 'dropped' : 'log', seqOf(line), line);
  return text;
}

function dataOf(event: Exclude<LogEvent, { kind: 'lines' }>): unknown {
  switch (event.kind) {
    case 'status': {
      const { status, status_reason, phase, next_restart_at } = presentBot(event.view);
      return { status, status_reason, phase, next_restart_at };
    }
    case 'exit':
      return presentExit(event.exit);
    case 'gap': {
      const { from, to, reason } = event.gap;
      return { from, to, reason };
    }
    case 'ping':
      return { ts: isoTime(event.at) };
    case 'end':
      return { reason: event.reason };
  }
}
