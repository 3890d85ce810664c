// The gateway: accepts requests on its own port and forwards them by hostname to the bots behind
// the apps. Receives the whole route table at each change; performs no storage reads or writes.
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
import { AppLimits } from './app-limits.ts';
import { Dispatcher } from './dispatcher.ts';
import { forwardedHeaders } from './forwarded.ts';
import { headersForBot } from './headers.ts';
import { type GatewayLimits, headBytes, headMs, idleClientMs, maxWaiting } from './limits.ts';
import { pageOf, rawPage } from './pages.ts';
import { type CheckedRequest, checkRequest } from './request-check.ts';
import { RouteTable } from './route-table.ts';
import { discardRest, type ProxiedRequest } from './proxied-request.ts';

export interface GatewayDeps {
  clock: Clock;
  limits: GatewayLimits;
  proxies: TrustedProxies;
  /** Whether an address can be a bot's. */
  mayReach(address: string): boolean;
  /** Called for every finished request; must be quick and must not throw. */
  accessLog?: { note(access: Access): void };
  /** Called before a request is routed: may pass a newer table to `apply`. Must not throw. */
  refresh?(): void;
  /** Reports what is wrong with a table. */
  report?(faults: readonly string[]): void;
  /** Reports an internal error of the gateway, after it answered the request with 500. */
  onError?(error: unknown): void;
  /** Limits for clients; of these, only `most` applies to trusted proxies. */
  connections: ConnectionLimits;
}

export class Gateway {
  readonly #deps: GatewayDeps;
  readonly #dispatcher: Dispatcher;
  readonly #limits: AppLimits;
  readonly #connections: ConnectionBounds;
  readonly #server: Server;
  readonly #upgraded = new Set<Socket>();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#dispatcher = new Dispatcher({ clock: deps.clock, mayReach: deps.mayReach, maxWaiting });
    this.#limits = new AppLimits(deps.clock, deps.limits);
    this.#connections = new ConnectionBounds(deps.connections);
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
      // HTTP/2 over plain TCP is not supported: such requests are answered in HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) => !/\bh2c\b/i.test(headers.upgrade ?? ''),
    });
    // Unlimited: node:http drops headers over the limit silently; `maxHeaderSize` bounds them.
    this.#server.maxHeadersCount = 0;
    this.#listen();
  }

  /** Replaces the route table. Pending requests check it again; open streams are not affected. */
  apply(routes: readonly Route[]): void {
    const table = new RouteTable(routes);
    if (table.faults.length > 0) this.#deps.report?.(table.faults);
    this.#dispatcher.apply(table);
  }

  /** Number of pending requests. */
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

  /** Accepts no more requests; those in progress get `graceMs` to finish and are then cut. */
  async close(graceMs = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cut = this.#deps.clock.after(graceMs, () => {
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
      this.#connections.admit(socket, this.#deps.proxies.trusts(address) ? null : addressKey(address));
    });
    server.on('request', (request, response) => this.#receive(request, response, null));
    server.on('checkContinue', (request, response) => this.#receive(request, response, null));
    server.on('checkExpectation', (request, response) => this.#receive(request, response, null));
    server.on('upgrade', (request, socket: Duplex, head) => this.#receiveUpgrade(request, socket as Socket, head));
    server.on('connect', (_request, socket: Duplex) => endWith(socket as Socket, gatewayFault('method_not_allowed')));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => refuseBroken(error, socket as Socket));
  }

  /** Early data may belong to the next protocol: it is kept until the bot agrees to the upgrade. */
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
    // The connection is busy with another request; pipelined requests are served in order.
    if (!response.socket) return void response.once('socket', () => this.#receive(request, response, upgradeHead));
    const { clock, accessLog } = this.#deps;
    request.on('error', () => {});
    response.on('error', () => {});
    // The parser takes what follows in the same packet for the protocol that was not switched to.
    if (!upgradeHead && request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const checked = checkRequest(request);
    if (typeof checked === 'string') return refuse(request, response, checked);
    if (upgradeHead && checked.framing !== 'none') return refuse(request, response, 'bad_request');
    this.#deps.refresh?.();
    const route = this.#dispatcher.find(checked.hostname);
    if (!route) return answer(request, response, gatewayFault('app_not_found'));
    const client = plainAddress(this.#deps.proxies.addressOf(request));
    const { appId, botId } = route;
    const { method = '' } = request;
    const path = checked.path.split('?', 1)[0] ?? '';
    const refused = { ms: 0, run: 0, status: overLimitStatus, bytesIn: 0, bytesOut: 0 };
    const access: Access = { at: clock.now(), appId, botId, method, path, address: client, ...refused };
    const over = this.#limits.enter(appId, addressKey(client));
    if (over) {
      accessLog?.note(access);
      return answer(request, response, gatewayFault(over));
    }
    const proxied: ProxiedRequest = {
      request,
      response,
      checked,
      headers: this.#headers(request, { checked, client, isUpgrade: upgradeHead !== null }),
      deadline: clock.now() + this.#deps.limits.waitMs,
      answerMs: this.#deps.limits.answerMs,
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
      this.#deps.onError?.(error);
      return gatewayFault('gateway_failed');
    });
    if (!fault || response.headersSent || response.destroyed) return;
    try {
      answer(request, response, fault);
    } catch (error) {
      this.#deps.onError?.(error);
      response.destroy();
    }
  }

  #headers(
    request: IncomingMessage,
    { checked, client, isUpgrade }: { checked: CheckedRequest; client: string; isUpgrade: boolean },
  ): string[] {
    const { host, framing } = checked;
    const { proxies } = this.#deps;
    const { socket, headers, rawHeaders, method = 'GET' } = request;
    const address = plainAddress(socket.remoteAddress ?? '');
    const peer = { address, isTrusted: proxies.trusts(address), clientAddress: client };
    const own = forwardedHeaders(request, peer, { host, localPort: socket.localPort ?? 0 });
    return headersForBot({ method, rawHeaders, framing, upgrade: isUpgrade ? (headers.upgrade ?? '') : null }, own);
  }

  /** Counts the request until its answer ends, or its connection does after an upgrade. */
  #follow(proxied: ProxiedRequest, access: Access): void {
    const { request, response, upgradeHead } = proxied;
    this.#connections.hold(request.socket);
    const began = performance.now();
    (upgradeHead ? request.socket : response).once('close', () => {
      this.#limits.leave(access.appId, addressKey(access.address));
      this.#connections.release(request.socket);
      const isUpgraded = upgradeHead !== null && !response.headersSent;
      this.#deps.accessLog?.note({
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

/** Converts an IPv4-mapped IPv6 address, as a dual-stack socket reports it, to plain IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

/** Nothing after an ambiguous request is trusted: its connection closes. */
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

/** Answers what the parser refused. A connection whose answer has begun is cut instead. */
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
