// The gateway: takes requests on a port of its own and brings them to the bots behind the apps, by
// hostname. It is given the whole table of routes at each change; it reads nothing and writes
// nothing itself.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Access } from '../core/domain/app-access.ts';
import {
  type GatewayFault,
  type GatewayFaultCode,
  gatewayFault,
  overLimitStatus,
} from '../core/domain/gateway-fault.ts';
import type { Route } from '../core/domain/route.ts';
import type { Clock } from '../core/lib/clock.ts';
import { addressKey } from '../core/lib/address-key.ts';
import { ConnectionBounds, type ConnectionLimits } from '../core/lib/connection-bounds.ts';
import type { TrustedProxies } from '../core/lib/trusted-proxies.ts';
import { type AccessLog, noAccessLog } from './access-log.ts';
import { AppLimits } from './app-limits.ts';
import { Dispatcher } from './dispatcher.ts';
import { forwardedHeaders } from './forwarded.ts';
import { headersForBot } from './headers.ts';
import { type GatewayLimits, headBytes, headMs, idleClientMs, maxWaiting } from './limits.ts';
import { pageOf, rawPage } from './pages.ts';
import { type CheckedRequest, checkRequest } from './request-check.ts';
import { RouteTable } from './route-table.ts';
import { discardRest, type ProxiedRequest } from './proxied-request.ts';

export interface GatewayParts {
  clock: Clock;
  limits: GatewayLimits;
  proxies: TrustedProxies;
  /** Whether an address can be a bot's. */
  mayReach(address: string): boolean;
  accessLog?: AccessLog;
  /** Called before a request is routed: may give a newer table to `apply`. Must not throw. */
  refresh?(): void;
  /** Told of what is wrong with a table. */
  report?(faults: readonly string[]): void;
  /** Told of a fault of the gateway itself; its request was answered with 500. */
  onError?(error: unknown): void;
  /** Of clients; proxies that are trusted are bound by `most` only. */
  connections: ConnectionLimits;
}

export class Gateway {
  readonly #parts: GatewayParts;
  readonly #dispatcher: Dispatcher;
  readonly #limits: AppLimits;
  readonly #connections: ConnectionBounds;
  readonly #server: Server;
  readonly #upgraded = new Set<Socket>();

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#dispatcher = new Dispatcher({ clock: parts.clock, mayReach: parts.mayReach, maxWaiting });
    this.#limits = new AppLimits(parts.clock, parts.limits);
    this.#connections = new ConnectionBounds(parts.connections);
    this.#server = createServer({
      maxHeaderSize: headBytes,
      headersTimeout: headMs,
      connectionsCheckingInterval: headMs / 3,
      requestTimeout: 0,
      keepAliveTimeout: idleClientMs,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      insecureHTTPParser: false,
      requireHostHeader: false,
      // HTTP/2 over plain TCP is not spoken: such requests are answered as they are.
      shouldUpgradeCallback: ({ headers }) => !/\bh2c\b/i.test(headers.upgrade ?? ''),
    });
    // Without a limit of their own, as headers over it would be left out silently; `maxHeaderSize`
    // bounds them.
    this.#server.maxHeadersCount = 0;
    this.#listen();
  }

  /** Takes the whole table of routes. Requests that wait look again; streams that are open stay as
   * they are. */
  apply(routes: readonly Route[]): void {
    const table = new RouteTable(routes);
    if (table.faults.length > 0) this.#parts.report?.(table.faults);
    this.#dispatcher.apply(table);
  }

  /** Requests that wait for a bot. */
  get waiting(): number {
    return this.#dispatcher.waiting;
  }

  /** Resolves with the port when it listens. */
  async open(port: number, host: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ port, host }, resolve);
    await promise;
    this.#server.off('error', reject);
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more requests; those under way may end within `graceMs`, then they are cut. */
  async close(graceMs = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cut = this.#parts.clock.after(graceMs, () => {
      this.#server.closeAllConnections();
      for (const socket of this.#upgraded) socket.destroy();
    });
    if (!this.#server.listening) resolve();
    this.#server.close(() => resolve());
    this.#server.closeIdleConnections();
    await promise;
    cut.cancel();
    this.#dispatcher.close();
  }

  #listen(): void {
    const server = this.#server;
    server.on('connection', (socket: Socket) => {
      const address = socket.remoteAddress ?? '';
      this.#connections.admit(socket, this.#parts.proxies.trusts(address) ? null : addressKey(address));
    });
    server.on('request', (request, response) => this.#receive(request, response, null));
    server.on('checkContinue', (request, response) => this.#receive(request, response, null));
    server.on('checkExpectation', (request, response) => this.#receive(request, response, null));
    server.on('upgrade', (request, socket: Duplex, head) => this.#receiveUpgrade(request, socket as Socket, head));
    server.on('connect', (_request, socket: Duplex) => endWith(socket as Socket, gatewayFault('method_not_allowed')));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => refuseBroken(error, socket as Socket));
  }

  /** What came may be part of the next protocol: it is kept until the bot has agreed to that. */
  #receiveUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => {});
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('drain', () => response.emit('drain'));
    response.once('finish', () => socket.destroySoon());
    this.#receive(request, response, head);
  }

  #receive(request: IncomingMessage, response: ServerResponse, upgradeHead: Buffer | null): void {
    // Its connection has another one in work: what came one after the other is done one after the
    // other.
    if (!response.socket) return void response.once('socket', () => this.#receive(request, response, upgradeHead));
    const { clock, accessLog = noAccessLog } = this.#parts;
    request.on('error', () => {});
    response.on('error', () => {});
    // The parser takes what follows in the same packet for the protocol that was not changed to.
    if (!upgradeHead && request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const checked = checkRequest(request);
    if (typeof checked === 'string') return refuse(request, response, checked);
    if (upgradeHead && checked.framing !== 'none') return refuse(request, response, 'bad_request');
    this.#parts.refresh?.();
    const route = this.#dispatcher.find(checked.hostname);
    if (!route) return answer(request, response, gatewayFault('app_not_found'));
    const client = plainAddress(this.#parts.proxies.addressOf(request));
    const access = accessOf(request, { checked, route, client, at: clock.now() });
    const over = this.#limits.enter(route.appId, addressKey(client));
    if (over) {
      accessLog.note(access);
      return answer(request, response, gatewayFault(over));
    }
    const proxied: ProxiedRequest = {
      request,
      response,
      checked,
      headers: this.#headers(request, { checked, client, isUpgrade: upgradeHead !== null }),
      deadline: clock.now() + this.#parts.limits.waitMs,
      answerMs: this.#parts.limits.answerMs,
      run: 0,
      losses: 0,
      upgradeHead,
      bytesIn: 0,
      bytesOut: 0,
    };
    this.#follow(proxied, access);
    void this.#serve(proxied);
  }

  async #serve(proxied: ProxiedRequest): Promise<void> {
    const { request, response } = proxied;
    const fault = await this.#dispatcher.serve(proxied).catch((error) => {
      this.#parts.onError?.(error);
      return gatewayFault('gateway_failed');
    });
    if (fault && !response.headersSent && !response.destroyed) answer(request, response, fault);
  }

  #headers(
    request: IncomingMessage,
    { checked, client, isUpgrade }: { checked: CheckedRequest; client: string; isUpgrade: boolean },
  ): string[] {
    const { host, framing } = checked;
    const { proxies } = this.#parts;
    const { socket, headers, rawHeaders, method = 'GET' } = request;
    const address = plainAddress(socket.remoteAddress ?? '');
    const peer = {
      address,
      isTrusted: proxies.trusts(address),
      clientAddress: client,
    };
    const own = forwardedHeaders(request, peer, { host, localPort: socket.localPort ?? 0 });
    return headersForBot({ method, rawHeaders, framing, upgrade: isUpgrade ? (headers.upgrade ?? '') : null }, own);
  }

  /** Counts the proxied until its answer, or its connection where that changed its protocol, is
   * over. */
  #follow(proxied: ProxiedRequest, access: Access): void {
    const { accessLog = noAccessLog } = this.#parts;
    const { request, response, upgradeHead } = proxied;
    this.#connections.hold(request.socket);
    const began = performance.now();
    (upgradeHead ? request.socket : response).once('close', () => {
      this.#limits.leave(access.appId, addressKey(access.address));
      this.#connections.release(request.socket);
      const isUpgraded = upgradeHead !== null && !response.headersSent;
      accessLog.note({
        ...access,
        ms: Math.round(performance.now() - began),
        run: proxied.run,
        status: isUpgraded ? (proxied.bytesOut > 0 ? 101 : 0) : response.headersSent ? response.statusCode : 0,
        bytesIn: proxied.bytesIn,
        bytesOut: proxied.bytesOut,
      });
    });
  }
}

interface Came {
  checked: CheckedRequest;
  route: Route;
  /** Address. */
  client: string;
  /** When (ms since the epoch). */
  at: number;
}

/** Of a request that is over its limits; what is served fills in the rest. */
function accessOf({ method = '' }: IncomingMessage, { checked, route, client, at }: Came): Access {
  const { appId, botId } = route;
  const path = checked.path.split('?', 1)[0] ?? '';
  return {
    at,
    ms: 0,
    appId,
    botId,
    run: 0,
    method,
    path,
    status: overLimitStatus,
    bytesIn: 0,
    bytesOut: 0,
    address: client,
  };
}

/** An IPv4 address that came in by a socket of both families, as such. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

/** Nothing after a request that could be read in two ways is believed: its connection ends. */
function refuse(request: IncomingMessage, response: ServerResponse, code: GatewayFaultCode): void {
  response.shouldKeepAlive = false;
  answer(request, response, gatewayFault(code));
}

function answer(request: IncomingMessage, response: ServerResponse, fault: GatewayFault): void {
  const { status, headers, body } = pageOf(fault, request.headers.accept ?? '');
  response.writeHead(status, headers.flat());
  response.end(request.method === 'HEAD' ? undefined : body);
  discardRest(request);
}

function endWith(socket: Socket, fault: GatewayFault): void {
  socket.on('error', () => {});
  if (socket.writable) socket.write(rawPage(fault));
  socket.destroySoon();
}

/** What the parser refused. Into an answer that has begun nothing is written: it is cut. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) return void socket.destroy();
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'head_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'bad_request';
  endWith(socket, gatewayFault(code));
}
