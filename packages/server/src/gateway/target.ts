// Connections to one port of one run of a bot. They are kept between requests, and closed when the run is no longer the one that is
// served: at once where nothing is under way, later where something is.
import { Agent, type AgentOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { RouteTarget } from '../domain/route.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { connectMs, drainMs, idleBotMs, knockMs } from './limits.ts';

export class Target {
  readonly where: RouteTarget;
  readonly agent: Agent;
  readonly #clock: Clock;
  readonly #open = new Set<Socket>();
  #knocking: Timer | null = null;
  #drain: Timer | null = null;

  constructor(where: RouteTarget, clock: Clock) {
    this.where = where;
    this.#clock = clock;
    this.agent = new TargetAgent({ keepAlive: true, timeout: idleBotMs }, () => this.connect());
  }

  /** A connection that nobody else gets. `allowHalfOpen`: its ends are closed one by one. */
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

  /** Tries to connect, again and again, until that works or nobody waits any more; then calls `onAnswer`, if it worked. */
  knock(isAwaited: () => boolean, onAnswer: () => void): void {
    if (this.#knocking || this.#drain) return;
    const look = (delayMs: number) => {
      this.#knocking = this.#clock.after(delayMs, () => {
        if (!isAwaited() || this.#drain) return this.#stopKnocking();
        const socket = this.connect();
        socket.once('error', () => look(Math.min(delayMs * 2, knockMs.most)));
        socket.once('connect', () => {
          socket.destroy();
          this.#stopKnocking();
          onAnswer();
        });
      });
    };
    look(knockMs.first);
  }

  /** No new requests come: what is under way may end, within a time that no run outlives. */
  retire(): void {
    if (this.#drain) return;
    this.#stopKnocking();
    this.agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    this.#drain = this.#clock.after(drainMs, () => this.close());
  }

  /** Cuts everything. */
  close(): void {
    this.#stopKnocking();
    this.#drain?.cancel();
    this.agent.destroy();
    for (const socket of this.#open) socket.destroy();
  }

  get connections(): number {
    return this.#open.size;
  }

  #stopKnocking(): void {
    this.#knocking?.cancel();
    this.#knocking = null;
  }
}

/** node:http's pool over connections that are opened here. */
class TargetAgent extends Agent {
  readonly #connect: () => Socket;

  constructor(options: AgentOptions, open: () => Socket) {
    super(options);
    this.#connect = open;
  }

  override createConnection(): Socket {
    return this.#connect();
  }
}

function lateError(): NodeJS.ErrnoException {
  return Object.assign(new Error('The bot did not take the connection in time'), { code: 'ETIMEDOUT' });
}
