// Connections on a manual clock: which are closed when the server is full, how long a body may
// take, and how long a revoked session is served.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { until } from '../../../test/support/until.ts';
import { TrustedProxies } from '../lib/trusted-proxies.ts';
import { Connections } from './connections.ts';

/** A server that holds requests to `/hold` and `/stream` and answers nothing by itself. */
async function startFixture(limits = { most: 3, perAddress: 1000 }, proxies: string[] = []) {
  const clock = new ManualClock();
  const revoked = new Set<string>();
  const connections = new Connections({
    limits,
    proxies: new TrustedProxies(proxies),
    stillValid: async (caller) => !revoked.has(caller.sessionId),
    clock,
  });
  const seen: string[] = [];
  const server = createServer((request, reply) => {
    seen.push(request.url ?? '');
    if (request.url === '/hold/taken') request.resume();
    const [, kind, sessionId = ''] = (request.url ?? '').split('/');
    const caller = { userId: '', sessionId, role: 'user' };
    if (kind === 'hold' || kind === 'stream')
      connections.hold(
        { socket: request.socket, caller, watchesItself: kind === 'stream' } as unknown as FastifyRequest,
        { raw: reply } as unknown as FastifyReply,
      );
    else reply.end();
  });
  connections.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  return {
    clock,
    connections,
    revoked,
    seen,
    /** Opens a connection and sends `text`; resolves when the server has received it. */
    async open(text = ''): Promise<Socket> {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {}).resume();
      sockets.push(socket);
      const accepted = once(server, 'connection');
      await Promise.all([once(socket, 'connect'), accepted]);
      const requests = seen.length;
      if (text !== '') {
        socket.write(text);
        await until(async () => seen.length > requests);
      }
      return socket;
    },
    async [Symbol.asyncDispose]() {
      connections.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

const held = (path: string, body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body === '' ? 0 : 1_000_000}\r\n\r\n${body}`;
const isGone = (socket: Socket) => until(async () => socket.closed || socket.readableEnded || socket.destroyed);
const isThere = (socket: Socket) => assert.equal(socket.destroyed || socket.readableEnded, false);

describe('a full server', () => {
  test('ends the connection that has waited longest, never one with a request in work', async () => {
    await using context = await startFixture();
    const busy = await context.open(held('/hold/a'));
    const silent = await context.open();
    const slow = await context.open();
    const next = await context.open();
    await isGone(silent);
    const last = await context.open();
    await isGone(slow);
    for (const socket of [busy, next, last]) isThere(socket);
    assert.equal(context.connections.size, 3);
  });

  test('takes nobody when all have a request in work', async () => {
    await using context = await startFixture();
    const busy = [];
    for (const id of ['a', 'b', 'c']) busy.push(await context.open(held(`/hold/${id}`)));
    await isGone(await context.open());
    for (const socket of busy) isThere(socket);
  });
});

describe('an address', () => {
  test('has so many connections', async () => {
    await using context = await startFixture({ most: 100, perAddress: 2 });
    const first = await context.open();
    const second = await context.open();
    await isGone(await context.open());
    isThere(second);
    first.destroy();
    await until(async () => context.connections.size === 1);
    isThere(await context.open());
  });

  test('of a trusted proxy has as many as there are', async () => {
    await using context = await startFixture({ most: 100, perAddress: 2 }, ['127.0.0.1']);
    for (let n = 0; n < 10; n++) await context.open();
    assert.equal(context.connections.size, 10);
  });
});

describe('a body', () => {
  /** Advances the clock in steps of the server's sweep. */
  async function pass(context: { clock: ManualClock }, seconds: number): Promise<void> {
    for (let at = 0; at < seconds; at += 2) {
      context.clock.advance(2000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('that is not taken as a stream has to be there in time', async () => {
    await using context = await startFixture();
    const request = 'POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx';
    const slow = await context.open(request);
    await pass(context, 28);
    isThere(slow);
    await pass(context, 6);
    await isGone(slow);
  });

  test('that is taken as a stream has to go on', async () => {
    await using context = await startFixture();
    const stuck = await context.open(held('/hold/a', 'x'));
    await pass(context, 40);
    const taken = await context.open(held('/hold/taken', 'x'));
    await pass(context, 50);
    isThere(taken);
    await pass(context, 80);
    await isGone(taken);
    // Its byte waits to be read, so the server is the slow one.
    isThere(stuck);
  });
});

describe('a session that ended', () => {
  test('is served no longer than 5 s; other sessions go on, and streams that look themselves', async () => {
    await using context = await startFixture({ most: 100, perAddress: 100 });
    const download = await context.open(held('/hold/mine'));
    const other = await context.open(held('/hold/other'));
    const stream = await context.open(held('/stream/mine'));
    context.revoked.add('mine');
    context.clock.advance(2000);
    await new Promise((resolve) => setImmediate(resolve));
    context.clock.advance(2000);
    await isGone(download);
    isThere(other);
    isThere(stream);
  });
});
