// Connections to one port of one run of a bot. They are reused between requests, and closed when
// the run is no longer routed to: idle ones at once, busy ones later.
import { connect, type Socket } from 'node:net';
import type { Upstream } from '../core/domain/route.ts';
import type { Clock, Timer } from '../core/lib/clock.ts';
import { BotConnection } from './bot-connection.ts';
import { connectMs, drainMs, probeMs } from './limits.ts';

export class UpstreamPool {
  readonly where: Upstream;
  readonly #clock: Clock;
  readonly #open = new Set<Socket>();
  /** Idle connections; the last one was used most recently. */
  #free: BotConnection[] = [];
  #probing: Timer | null = null;
  #drain: Timer | null = null;

  constructor(where: Upstream, clock: Clock) {
    this.where = where;
    this.#clock = clock;
  }

  /** A connection for one request. `isNew`: not a reused one, which may be closing. */
  connection({ isNew }: { isNew: boolean }): BotConnection {
    const kept = isNew ? null : this.#takeKept();
    if (kept) return kept;
    const connection = new BotConnection(this.connect(), () => this.#keep(connection));
    connection.socket.once('close', () => {
      const index = this.#free.indexOf(connection);
      if (index !== -1) this.#free.splice(index, 1);
    });
    return connection;
  }

  /** A connection that is not shared. `allowHalfOpen`: each direction ends separately. */
  connect({ allowHalfOpen = false } = {}): Socket {
    const { address, port } = this.where;
    const socket = connect({ host: address, port, allowHalfOpen, noDelay: true, keepAlive: true });
    const late = setTimeout(() => socket.destroy(lateError()), connectMs).unref();
    socket.once('connect', () => clearTimeout(late));
    this.#open.add(socket);
    socket.once('close', () => {
      clearTimeout(late);
      this.#open.delete(socket);
    });
    return socket;
  }

  /** Retries connecting until it succeeds (`onAnswer`) or no request waits any more. */
  probe(isAwaited: () => boolean, onAnswer: () => void): void {
    if (this.#probing || this.#drain) return;
    const retry = (delayMs: number) => {
      this.#probing = this.#clock.after(delayMs, () => {
        if (!isAwaited() || this.#drain) return this.#stopProbing();
        const socket = this.connect();
        socket.once('error', () => retry(Math.min(delayMs * 2, probeMs.max)));
        socket.once('connect', () => {
          socket.destroy();
          this.#stopProbing();
          onAnswer();
        });
      });
    };
    retry(probeMs.first);
  }

  /** Takes no new requests; those in progress get `drainMs` to finish. */
  retire(): void {
    if (this.#drain) return;
    this.#stopProbing();
    for (const { socket } of this.#free) socket.destroy();
    this.#free = [];
    this.#drain = this.#clock.after(drainMs, () => this.close());
  }

  /** Cuts all connections. */
  close(): void {
    this.#stopProbing();
    this.#drain?.cancel();
    for (const socket of this.#open) socket.destroy();
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Null: no idle connection is still open. */
  #takeKept(): BotConnection | null {
    for (;;) {
      const kept = this.#free.pop();
      if (!kept) return null;
      if (!kept.socket.destroyed && kept.socket.readable) return kept;
    }
  }

  #keep(connection: BotConnection): void {
    if (this.#drain) return void connection.socket.destroy();
    this.#free.push(connection);
  }

  #stopProbing(): void {
    this.#probing?.cancel();
    this.#probing = null;
  }
}

function lateError(): NodeJS.ErrnoException {
  return Object.assign(new Error('The bot did not take the connection in time'), { code: 'ETIMEDOUT' });
}
