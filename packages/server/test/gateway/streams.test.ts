// What stays open: events, large bodies, connections that change their protocol; and what happens
// when one side goes away.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';
import { until } from '../support/until.ts';
import { ask, host, listen, rawClient, routeTo, startBackend, startGateway } from './fixture.ts';

const upgradeRequest = `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Key: k\r\n\r\n`;

describe('events', () => {
  test('come one by one, head first', async () => {
    let send = (_text: string) => {};
    await using bot = await startBackend((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      send = (text) => response.write(text);
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await client.until((text) => text.includes('text/event-stream'));
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      send(text);
      await client.until((all) => all.includes(text));
    }
    client.socket.destroy();
  });
});

describe('large bodies', () => {
  const bytes = 64 * 1024 * 1024;
  const piece = Buffer.alloc(64 * 1024, 'x');
  function* pieces(): Generator<Buffer> {
    for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
  }
  async function count(stream: IncomingMessage): Promise<number> {
    let total = 0;
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        total += chunk.length;
        done();
      },
    });
    await pipeline(stream, sink);
    return total;
  }

  test('go up and come down whole', async () => {
    await using bot = await startBackend((incoming, response) => {
      if (incoming.method === 'PUT') void count(incoming).then((total) => response.end(String(total)));
      else void pipeline(Readable.from(pieces()), response);
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const up = request({ port: running.port, host: '127.0.0.1', method: 'PUT', headers: { host } });
    const [[answer]] = await Promise.all([once(up, 'response'), pipeline(Readable.from(pieces()), up)]);
    assert.equal(Number(await new Response(Readable.toWeb(answer) as ReadableStream).text()), bytes);
    const down = request({ port: running.port, host: '127.0.0.1', headers: { host } }).end();
    const [coming] = await once(down, 'response');
    assert.equal(await count(coming), bytes);
  });

  test('wait for a client that does not read', async () => {
    let written = 0;
    await using bot = await startBackend((_, response) => {
      const more = () => {
        let isTaken = true;
        while (isTaken) {
          isTaken = response.write(piece);
          written += piece.length;
        }
        response.once('drain', more);
      };
      more();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.pause();
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    let before = -1;
    await until(async () => {
      const isStill = written > 0 && written === before;
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return isStill;
    });
    assert.ok(written < 32 * 1024 * 1024, String(written));
    client.socket.destroy();
  });
});

describe('a connection that changes its protocol', () => {
  /** Answers an upgrade and sends everything back; ends when the other side ends. */
  async function startEcho(onSocket = (_socket: Socket) => {}) {
    const bot = await startBackend((_, response) => response.writeHead(426).end('no'));
    bot.server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      bot.seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', rawHeaders: incoming.rawHeaders });
      socket.write('HTTP/1.1 101 Echo Now\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Accept: a\r\n\r\nhello ');
      socket.write(head);
      socket.pipe(socket);
      onSocket(socket);
    });
    return bot;
  }

  test('is joined with the bot, both ways, with what came at once', async () => {
    await using bot = await startEcho();
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port, { allowHalfOpen: true });
    client.socket.write(`${upgradeRequest}first `);
    const text = await client.until((all) => all.endsWith('first '));
    assert.match(
      text,
      /^HTTP\/1\.1 101 Echo Now\r\nX-Accept: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello first $/,
    );
    assert.ok(bot.seen[0]?.rawHeaders.includes('X-Key'));
    client.socket.write('second');
    await client.until((all) => all.endsWith('second'));
    // Half of it is closed: what is on its way back still comes.
    client.socket.end(' last');
    await once(client.socket, 'end');
    assert.match(client.text(), / last$/);
    client.socket.destroy();
    await until(async () => running.accesses.length === 1);
    const { status, bytesIn, bytesOut } = running.accesses[0] ?? {};
    assert.deepEqual([status, bytesIn, bytesOut], [101, 17, 23]);
  });

  test('that the bot does not want is answered', async () => {
    await using bot = await startBackend((_, response) => response.writeHead(426, { 'X-Why': 'no' }).end('not here'));
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(upgradeRequest);
    assert.match(await client.closed, /^HTTP\/1\.1 426 .*X-Why: no\r\n.*Connection: close\r\n.*not here\r\n/s);
    const unknown = rawClient(running.port);
    unknown.socket.write(upgradeRequest.replace(host, 'x.apps.localhost'));
    assert.match(await unknown.closed, /^HTTP\/1\.1 404 .*X-Error-Code: app_not_found/s);
  });

  test('that the bot declines with a head that can not be sent is answered by the gateway', async () => {
    const bot = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 200 OK\0\r\nContent-Length: 2\r\n\r\nno')),
    );
    await using running = await startGateway([routeTo(await listen(bot))]);
    const client = rawClient(running.port);
    client.socket.write(upgradeRequest);
    assert.match(await client.closed, /^HTTP\/1\.1 502 Bad Gateway\r\n.*X-Error-Code: bot_answer_not_valid/s);
    bot.close();
  });

  test('is closed when either side is gone', async () => {
    const sockets: Socket[] = [];
    await using bot = await startEcho((socket) => sockets.push(socket.on('error', () => {})));
    await using running = await startGateway([routeTo(bot.port)]);
    const open = async () => {
      const client = rawClient(running.port);
      client.socket.write(upgradeRequest);
      await client.until((text) => text.endsWith('hello '));
      return client;
    };
    const leaving = await open();
    leaving.socket.resetAndDestroy();
    await once(sockets[0] as Socket, 'close');
    const left = await open();
    sockets[1]?.resetAndDestroy();
    await left.closed;
  });

  test('counts as one request of its app while it is open', async () => {
    await using bot = await startEcho();
    await using running = await startGateway([routeTo(bot.port)], { appRequests: 1 });
    const client = rawClient(running.port);
    client.socket.write(upgradeRequest);
    await client.until((text) => text.endsWith('hello '));
    assert.equal((await ask(running.port)).status, 429);
    client.socket.destroy();
    await until(async () => (await ask(running.port)).status === 426);
  });
});

describe('who goes away', () => {
  test('the client: its request at the bot is cut', async () => {
    const { promise: cut, resolve } = Promise.withResolvers<void>();
    await using bot = await startBackend((_, response) => {
      response.once('close', resolve);
      response.write('begun');
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await client.until((text) => text.includes('begun'));
    client.socket.destroy();
    await cut;
  });

  test('the client, in its upload: the bot does not take it for whole', async () => {
    const { promise, resolve } = Promise.withResolvers<Error>();
    await using bot = await startBackend((incoming) => {
      incoming.once('error', resolve);
      incoming.resume();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await until(async () => bot.seen.length === 1);
    client.socket.destroy();
    assert.match(String(await promise), /aborted/);
  });

  test('the bot, in its answer: the client sees that it broke off', async () => {
    for (const head of [{}, { 'content-length': 100 }]) {
      await using bot = await startBackend((_, response) => {
        response.writeHead(200, head);
        response.write('half', () => response.destroy());
      });
      await using running = await startGateway([routeTo(bot.port)]);
      const asked = request({ port: running.port, host: '127.0.0.1', headers: { host } }).end();
      const [answer] = await once(asked, 'response');
      await assert.rejects(finished(answer.resume()), /aborted|Premature close/);
    }
  });
});
