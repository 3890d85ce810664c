// The fixture of tests of the gateway: a gateway on a free port, and plain servers of node:http on
// loopback in place of bots.
import {
  createServer,
  type IncomingMessage,
  request,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Route, RouteState } from '../../src/core/domain/route.ts';
import type { Access } from '../../src/core/domain/app-access.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import type { GatewayLimits } from '../../src/gateway/limits.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { TrustedProxies } from '../../src/core/lib/trusted-proxies.ts';

export const host = 'echo.apps.localhost';

/** A server in place of a bot, and every request that it got. */
export interface Backend extends AsyncDisposable {
  port: number;
  server: Server;
  seen: { method: string; url: string; rawHeaders: string[] }[];
}

export async function startBackend(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Backend> {
  const seen: Backend['seen'] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    seen.push({ method, url, rawHeaders });
    answer(request, response);
  });
  server.on('checkContinue', (request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    seen.push({ method, url, rawHeaders });
    response.writeContinue();
    answer(request, response);
  });
  const port = await listen(server);
  return {
    port,
    server,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends `bytes` (latin1) on each connection once it got the head of a request; the connection
 * stays open. */
export async function startRawBackend(
  bytes: string,
  then = (_socket: Socket) => {},
): Promise<AsyncDisposable & { port: number }> {
  const open = new Set<Socket>();
  const server = createPlainServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(bytes, 'latin1');
      then(socket);
    });
  });
  const port = await listen(server);
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function listen(server: {
  listen(port: number, host: string, then: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

export interface RunningGateway extends AsyncDisposable {
  gateway: Gateway;
  port: number;
  accesses: Access[];
}

export async function startGateway(
  routes: Route[] = [],
  limits: Partial<GatewayLimits> = {},
  trusted: string[] = [],
): Promise<RunningGateway> {
  const accesses: Access[] = [];
  const gateway = new Gateway({
    clock: systemClock,
    limits: { appRequests: 1000, appRate: 100_000, visitorShare: 100, waitMs: 10_000, answerMs: 20_000, ...limits },
    connections: { most: 1000, perAddress: 1000 },
    proxies: new TrustedProxies(trusted),
    mayReach: () => true,
    accessLog: { note: (access) => accesses.push(access) },
  });
  gateway.apply(routes);
  const port = await gateway.open(0, '127.0.0.1');
  return { gateway, port, accesses, [Symbol.asyncDispose]: () => gateway.close() };
}

/** A route of the app `echo`. */
export function routeTo(port: number, more: Partial<Route> = {}): Route {
  return {
    appId: 'app-echo',
    botId: 'bot-echo',
    name: 'echo',
    hostnames: [host],
    state: online(port),
    ...more,
  };
}

/** `startedAt` is long ago: nobody waits for it to listen. */
export function online(port: number, run = 1, startedAt = 0): RouteState {
  return { kind: 'online', target: { address: '127.0.0.1', port, run, startedAt } };
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  trailers: IncomingMessage['trailers'];
  body: string;
}

/** One request to the gateway, on a connection of its own. */
export async function ask(port: number, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request({
    host: '127.0.0.1',
    port,
    agent: false,
    ...options,
    headers: { host, ...(options.headers as object) },
  });
  asked.once('response', resolve);
  asked.once('error', reject);
  asked.end(body);
  const answer = await promise;
  const text = (await buffer(answer)).toString('latin1');
  const { statusCode = 0, headers, rawHeaders, trailers } = answer;
  return { status: statusCode, headers, rawHeaders, trailers, body: text };
}

/** A connection of plain bytes; `text` is what came so far. */
export interface RawClient {
  socket: Socket;
  text(): string;
  /** Resolves when so much came that `isEnough`, or rejects when the connection closed before. */
  until(isEnough: (text: string) => boolean): Promise<string>;
  /** Resolves with all that came when the connection is closed. */
  closed: Promise<string>;
}

export function rawClient(port: number, { allowHalfOpen = false } = {}): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  let text = '';
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(text));
  });
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {});
  return {
    socket,
    text: () => text,
    closed,
    until(isEnough) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = () => {
        if (isEnough(text)) resolve(text);
      };
      socket.on('data', look);
      socket.once('close', () => reject(new Error(`The connection was closed after: ${text.slice(0, 500)}`)));
      socket.once('end', () => reject(new Error(`The connection ended after: ${text.slice(0, 500)}`)));
      look();
      return promise;
    },
  };
}
