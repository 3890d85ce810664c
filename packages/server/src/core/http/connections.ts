// The server's open connections: so many in all and per address (core/lib/connection-bounds.ts),
// and none for longer than it is of use.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/access.ts';
import { addressKey } from '../lib/address-key.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { ConnectionBounds, type ConnectionLimits } from '../lib/connection-bounds.ts';
import type { TrustedProxies } from '../lib/trusted-proxies.ts';

const sweepMs = 2000;
/** A body that is read as a whole has to be there within this time. */
const wholeBodyMs = 30_000;
/** A body that is taken as a stream may take any time, as long as so many bytes come per minute. */
const streamedBytesPerMinute = 16 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Its answer is a stream that looks for its caller's session itself, and says so when it
     * ends. */
    watchesItself: boolean;
  }
}

interface Parts {
  /** Proxies that are trusted are bound by `most` only. */
  limits: ConnectionLimits;
  proxies: TrustedProxies;
  /** Whether the caller may still be served. */
  stillValid(caller: Caller): Promise<boolean>;
  clock: Clock;
}

interface Connection {
  socket: Socket;
  /** Requests in work. */
  held: Map<FastifyRequest, { since: number }>;
  /** The newest request, when it came, and what had come by the last look at its body. */
  request: IncomingMessage | null;
  requestAt: number;
  checkedAt: number;
  bytes: number;
}

export class Connections {
  readonly #parts: Parts;
  readonly #open = new Map<Socket, Connection>();
  readonly #bounds: ConnectionBounds;
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#bounds = new ConnectionBounds(parts.limits);
  }

  /** Counts the server's connections from now on. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', (request: IncomingMessage) => {
      const connection = this.#open.get(request.socket);
      if (!connection) return;
      connection.request = request;
      connection.requestAt = connection.checkedAt = this.#parts.clock.now();
      connection.bytes = request.socket.bytesRead;
    });
    this.#arm();
  }

  /** Looks at nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  get size(): number {
    return this.#bounds.size;
  }

  /** The request is worked at: its connection stays, until the answer is sent, or its caller may no
   * longer be served. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    const connection = this.#open.get(request.socket);
    if (!connection || connection.held.has(request)) return;
    connection.held.set(request, { since: this.#parts.clock.now() });
    this.#bounds.hold(connection.socket);
    reply.raw.once('close', () => {
      connection.held.delete(request);
      if (connection.held.size === 0) this.#bounds.release(connection.socket);
    });
  }

  #add(socket: Socket): void {
    const { proxies, clock } = this.#parts;
    const from = socket.remoteAddress ?? '';
    if (!this.#bounds.admit(socket, proxies.trusts(from) ? null : addressKey(from))) return;
    const now = clock.now();
    const connection: Connection = {
      socket,
      held: new Map(),
      request: null,
      requestAt: now,
      checkedAt: now,
      bytes: 0,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  #end({ socket }: Connection): void {
    this.#open.delete(socket);
    this.#bounds.end(socket);
  }

  #arm(): void {
    this.#timer = this.#parts.clock.after(sweepMs, () => {
      void this.#sweep().finally(() => {
        if (!this.#isClosed) this.#arm();
      });
    });
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const connection of this.#open.values()) if (isBodyOverdue(connection, now)) this.#end(connection);
    await this.#endRevoked(now);
  }

  /** Each session is asked for once per sweep. Streams that tell their reader why they end look for
   * themselves. */
  async #endRevoked(now: number): Promise<void> {
    const known = new Map<string, boolean>();
    for (const connection of this.#open.values())
      for (const [{ caller, watchesItself }, { since }] of connection.held) {
        if (!caller || watchesItself || now - since < sweepMs) continue;
        let isValid = known.get(caller.sessionId);
        // A store that does not answer revokes nothing; the next sweep asks again.
        isValid ??= await this.#parts.stillValid(caller).catch(() => true);
        known.set(caller.sessionId, isValid);
        if (!isValid) this.#end(connection);
      }
  }
}

/** Whether the client lets the server wait for a body longer than it may. */
function isBodyOverdue(connection: Connection, now: number): boolean {
  const { request, socket, held } = connection;
  if (!request || request.complete) return false;
  if (held.size === 0) return now - connection.requestAt > wholeBodyMs;
  // What waits to be taken is not the client's fault.
  const isOurTurn = request.readableLength > 0;
  if (now - connection.checkedAt < 60_000) return false;
  const isSlow = socket.bytesRead - connection.bytes < streamedBytesPerMinute;
  connection.checkedAt = now;
  connection.bytes = socket.bytesRead;
  return isSlow && !isOurTurn;
}
