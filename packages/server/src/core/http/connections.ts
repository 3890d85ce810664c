// Limits open connections; closes those that are slow or whose caller was revoked.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/access.ts';
import { addressKey } from '../lib/address-key.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { ConnectionBounds, type ConnectionLimits } from '../lib/connection-bounds.ts';
import type { TrustedProxies } from '../lib/trusted-proxies.ts';

const sweepMs = 2000;
/** Time limit for a body that is read as a whole. */
const wholeBodyMs = 30_000;
/** A streamed body may take any time at this minimum rate. */
const streamedBytesPerMinute = 16 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer is a stream that checks its caller's session itself and reports why it ends. */
    watchesItself: boolean;
  }
}

interface Deps {
  /** Trusted proxies are bound by `most` only. */
  limits: ConnectionLimits;
  proxies: TrustedProxies;
  /** Whether the caller's session is still valid. */
  stillValid(caller: Caller): Promise<boolean>;
  clock: Clock;
}

interface Connection {
  socket: Socket;
  /** Requests in progress. */
  held: Map<FastifyRequest, { since: number }>;
  /** The newest request, its arrival, and how much of its body had arrived by the last sweep. */
  request: IncomingMessage | null;
  requestAt: number;
  checkedAt: number;
  bytes: number;
}

export class Connections {
  readonly #deps: Deps;
  readonly #open = new Map<Socket, Connection>();
  readonly #bounds: ConnectionBounds;
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#bounds = new ConnectionBounds(deps.limits);
  }

  /** Tracks the server's connections from now on. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', (request: IncomingMessage) => {
      const connection = this.#open.get(request.socket);
      if (!connection) return;
      connection.request = request;
      connection.requestAt = connection.checkedAt = this.#deps.clock.now();
      connection.bytes = request.socket.bytesRead;
    });
    this.#arm();
  }

  /** Stops the sweeps. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  get size(): number {
    return this.#bounds.size;
  }

  /** Keeps the request's connection open until the answer is sent or its caller is revoked. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    const connection = this.#open.get(request.socket);
    if (!connection || connection.held.has(request)) return;
    connection.held.set(request, { since: this.#deps.clock.now() });
    this.#bounds.hold(connection.socket);
    reply.raw.once('close', () => {
      connection.held.delete(request);
      if (connection.held.size === 0) this.#bounds.release(connection.socket);
    });
  }

  #add(socket: Socket): void {
    const { proxies, clock } = this.#deps;
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
    this.#timer = this.#deps.clock.after(sweepMs, () => {
      void this.#sweep().finally(() => {
        if (!this.#isClosed) this.#arm();
      });
    });
  }

  async #sweep(): Promise<void> {
    const now = this.#deps.clock.now();
    for (const connection of this.#open.values()) if (isBodyOverdue(connection, now)) this.#end(connection);
    await this.#endRevoked(now);
  }

  /** Checks each session once per sweep. Streams that report why they end check for themselves. */
  async #endRevoked(now: number): Promise<void> {
    const known = new Map<string, boolean>();
    for (const connection of this.#open.values())
      for (const [{ caller, watchesItself }, { since }] of connection.held) {
        if (!caller || watchesItself || now - since < sweepMs) continue;
        let isValid = known.get(caller.sessionId);
        // A failing store revokes nothing; the next sweep checks again.
        isValid ??= await this.#deps.stillValid(caller).catch(() => true);
        known.set(caller.sessionId, isValid);
        if (!isValid) this.#end(connection);
      }
  }
}

/** Whether the client has taken too long to send its body. */
function isBodyOverdue(connection: Connection, now: number): boolean {
  const { request, socket, held } = connection;
  if (!request || request.complete) return false;
  if (held.size === 0) return now - connection.requestAt > wholeBodyMs;
  // Unread bytes are not the client's fault.
  const isOurTurn = request.readableLength > 0;
  if (now - connection.checkedAt < 60_000) return false;
  const isSlow = socket.bytesRead - connection.bytes < streamedBytesPerMinute;
  connection.checkedAt = now;
  connection.bytes = socket.bytesRead;
  return isSlow && !isOurTurn;
}
