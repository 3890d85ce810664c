// Opens a stream of server-sent events with the session cookie. Reconnecting is up to the caller,
// who knows where to resume.
import { ApiError, unwrap } from '@botel/contract/client';
import { readEvents, type ServerEvent } from '@botel/contract/events';
import { fetchRaw } from './calls.ts';

/** A stream silent for this long counts as cut: the server pings every 15 s. */
const silenceMs = 35_000;

/**
 * The events of a stream from `lastEventId` on. Ends with the stream; rejects when it is refused
 * (ApiError), breaks or falls silent, or on abort.
 */
export async function* openEvents(
  path: string,
  lastEventId: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const silence = new AbortController();
  const headers = new Headers({ Accept: 'text/event-stream' });
  if (lastEventId !== null) headers.set('Last-Event-ID', lastEventId);
  const watch = watchOver(silence);
  try {
    const response = await fetchRaw('GET', path, { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (!response.ok) await unwrap(response);
    if (!response.body) throw new ApiError(0, 'unreachable', 'The stream has no body');
    yield* readEvents(bytesOf(response.body, watch.heard));
  } finally {
    watch.end();
  }
}

function watchOver(silence: AbortController): { heard(): void; end(): void } {
  const fallSilent = () => silence.abort(new ApiError(0, 'unreachable', 'The stream fell silent'));
  let timer = setTimeout(fallSilent, silenceMs);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(fallSilent, silenceMs);
    },
    end: () => clearTimeout(timer),
  };
}

/** Not every browser can iterate over a stream. */
async function* bytesOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
