// Changes of routes: they count at once, close nothing that is open, and a request that finds no
// bot waits for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { Route } from '../../src/core/domain/route.ts';
import { until } from '../support/until.ts';
import { ask, host, listen, online, rawClient, routeTo, startBackend, startGateway } from './fixture.ts';

const starting = routeTo(1, { state: { kind: 'starting' } });

/** A port where nobody listens yet. */
async function reservePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function named(index: number, port: number): Route {
  const hostnames = [`app-${index}.apps.localhost`];
  return routeTo(port, { appId: `app-${index}`, botId: `bot-${index}`, name: `app-${index}`, hostnames });
}

describe('a change', () => {
  test('among 1,000 routes counts at once and closes no stream', async () => {
    await using bot = await startBackend((_, response) => response.write('open'));
    await using other = await startBackend((_, response) => response.end('new'));
    const routes = Array.from({ length: 1000 }, (_, index) => named(index, bot.port));
    await using running = await startGateway(routes);
    const streams = [1, 500, 999].map((index) => {
      const client = rawClient(running.port);
      client.socket.write(`GET / HTTP/1.1\r\nHost: app-${index}.apps.localhost\r\n\r\n`);
      return client;
    });
    for (const { until: untilText } of streams) await untilText((text) => text.includes('open'));
    for (let turn = 0; turn < 20; turn++) {
      running.gateway.apply(routes.map((route, index) => (index === turn ? named(index, other.port) : route)));
      const { body } = await ask(running.port, { headers: { host: `app-${turn}.apps.localhost` } });
      assert.equal(body, 'new');
    }
    assert.ok(streams.every(({ socket }) => !socket.destroyed));
    for (const { socket } of streams) socket.destroy();
  });

  test('of the run lets what is under way end at the old one, and closes what is kept there', async () => {
    let finish = () => {};
    const kept: Socket[] = [];
    await using old = await startBackend((request, response) => {
      kept.push(request.socket);
      if (request.url === '/quick') response.end('quick');
      else {
        response.write('begun ');
        finish = () => response.end('ended at the old one');
      }
    });
    await using next = await startBackend((_, response) => response.end('new'));
    await using running = await startGateway([routeTo(old.port)]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await client.until((text) => text.includes('begun'));
    assert.equal((await ask(running.port, { path: '/quick' })).body, 'quick');
    const idle = kept[1] as Socket;
    running.gateway.apply([routeTo(next.port, { state: online(next.port, 2) })]);
    assert.equal((await ask(running.port)).body, 'new');
    if (!idle.destroyed) await once(idle, 'close');
    finish();
    assert.match(await client.closed, /ended at the old one/);
    running.gateway.apply([]);
    assert.equal((await ask(running.port)).status, 404);
  });

  test('what is not right in a table costs one app', async () => {
    await using bot = await startBackend((_, response) => response.end('ok'));
    await using running = await startGateway([
      routeTo(bot.port, { appId: 'odd', hostnames: ['Odd Host'], state: online(70_000) }),
      routeTo(bot.port),
      routeTo(bot.port, { appId: 'twin' }),
    ]);
    assert.equal((await ask(running.port)).status, 200);
  });
});

describe('a request waits', () => {
  test('for the run that is on its way, with its body', async () => {
    await using bot = await startBackend((request, response) => request.pipe(response));
    await using running = await startGateway([starting]);
    const answers = [
      ask(running.port, { method: 'POST' }, 'whole body'),
      ask(running.port, { method: 'PUT' }, 'other'),
    ];
    await until(async () => running.gateway.waiting === 2);
    running.gateway.apply([routeTo(bot.port)]);
    assert.deepEqual(
      (await Promise.all(answers)).map(({ body }) => body),
      ['whole body', 'other'],
    );
  });

  test('to change its protocol, too', async () => {
    await using bot = await startBackend((_, response) => response.end());
    bot.server.on('upgrade', (_request, socket: Socket) =>
      socket.end('HTTP/1.1 101 Ok\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhi'),
    );
    await using running = await startGateway([starting]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`);
    await until(async () => running.gateway.waiting === 1);
    running.gateway.apply([routeTo(bot.port)]);
    await client.until((text) => text.endsWith('hi'));
  });

  test('until the program listens, when its run has just begun', async () => {
    const port = await reservePort();
    await using running = await startGateway([routeTo(port, { state: online(port, 1, Date.now()) })]);
    const asking = ask(running.port, { method: 'POST' }, 'body');
    await until(async () => running.gateway.waiting === 1);
    const server = createServer((request, response) => request.pipe(response));
    server.listen(port, '127.0.0.1');
    assert.equal((await asking).body, 'body');
    server.closeAllConnections();
    server.close();
  });

  test('not longer than it may, and only so many wait', async () => {
    await using running = await startGateway([starting], { waitMs: 2000 });
    const asking = Array.from({ length: 600 }, () => ask(running.port));
    const first = await Promise.race(asking);
    assert.deepEqual([first.status, first.headers['x-error-code']], [503, 'bot_starting']);
    const all = await Promise.all(asking);
    assert.ok(all.every(({ status }) => status === 503));
  });

  test('no longer when its client is gone', async () => {
    await using running = await startGateway([starting]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until(async () => running.gateway.waiting === 1);
    client.socket.destroy();
    await until(async () => running.gateway.waiting === 0);
    await until(async () => running.accesses.length === 1);
    assert.equal(running.accesses[0]?.status, 0);
  });
});

describe('a restart under load', () => {
  test('fails no request', async () => {
    const serve = async (run: number) => {
      const server = createServer((_, response) => void setTimeout(() => response.end(String(run)), 2));
      return { server, port: await listen(server) };
    };
    let current = await serve(1);
    await using running = await startGateway([routeTo(current.port)]);
    const seen = new Map<string, number>();
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, body } = await ask(running.port);
        const key = `${status} ${status === 200 ? '' : body}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    });
    for (let run = 2; run <= 4; run++) {
      const before = seen.get('200 ') ?? 0;
      await until(async () => (seen.get('200 ') ?? 0) > before + 50);
      // The desired state counts first, then the old run ends, as rudely as it likes; then the new
      // one begins.
      running.gateway.apply([starting]);
      current.server.closeAllConnections();
      await new Promise((resolve) => current.server.close(resolve));
      current = await serve(run);
      running.gateway.apply([routeTo(current.port, { state: online(current.port, run, Date.now()) })]);
    }
    isOver = true;
    await Promise.all(load);
    current.server.closeAllConnections();
    current.server.close();
    assert.deepEqual([...seen.keys()], ['200 ']);
  });
});
