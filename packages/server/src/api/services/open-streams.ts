// Tracks open streams and downloads: limits them per user, and ends them all when the server stops.
import { once } from 'node:events';
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';

export interface OpenStream {
  caller: Caller;
  /** Aborted once the stream is closed. */
  signal: AbortSignal;
  /** Requests the end: the reader gets a last event. */
  end(reason: 'server_stopping'): void;
}

export class OpenStreams {
  readonly #maxPerUser: number;
  readonly #open = new Set<OpenStream>();
  #closed = false;

  constructor(maxPerUser: number) {
    this.#maxPerUser = maxPerUser;
  }

  /** Counts the new stream until it closes; fails on too many, or when the server is stopping. */
  add<S extends OpenStream>(caller: Caller, make: () => S): S {
    if (this.#closed) throw fail.notReady('server');
    let open = 0;
    for (const stream of this.#open) if (stream.caller.userId === caller.userId) open++;
    if (open >= this.#maxPerUser) throw fail.tooManyStreams(open, this.#maxPerUser);
    const stream = make();
    this.#open.add(stream);
    stream.signal.addEventListener('abort', () => this.#open.delete(stream));
    return stream;
  }

  /** Ends all streams and accepts no more; resolves when their last events are sent or given up. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = [...this.#open].map((stream) => once(stream.signal, 'abort'));
    for (const stream of this.#open) stream.end('server_stopping');
    await Promise.all(closed);
  }
}
