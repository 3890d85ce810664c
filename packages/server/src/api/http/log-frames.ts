// Encodes live streams of lines, as stored; a batch with many readers is encoded once per format.
import { isDropped, seqOf } from '../../core/domain/log-line.ts';
import type { LogEvent } from '../services/log-event-stream.ts';
import { isoTime, presentBot, presentExit } from '../../core/http/present.ts';
import type { StreamFormat } from './stream-format.ts';

const encoded = new WeakMap<StreamFormat, WeakMap<object, Buffer>>();

export function encodeLogEvent(event: LogEvent, format: StreamFormat): Buffer {
  if (event.kind !== 'lines') return Buffer.from(format.frame(event.kind, null, JSON.stringify(toData(event))));
  const known = encoded.get(format) ?? new WeakMap<object, Buffer>();
  encoded.set(format, known);
  let bytes = known.get(event.batch);
  if (!bytes) {
    bytes = Buffer.from(frameLines(event.batch.lines, format));
    known.set(event.batch, bytes);
  }
  return bytes;
}

function frameLines(lines: readonly string[], { frame }: StreamFormat): string {
  let text = '';
  for (const line of lines) text += frame(isDropped(line) ? 'dropped' : 'log', seqOf(line), line);
  return text;
}

function toData(event: Exclude<LogEvent, { kind: 'lines' }>): unknown {
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
