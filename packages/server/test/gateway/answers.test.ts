// What the gateway makes of answers that are broken, not valid or not told the end of, and of
// connections that bots close.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { ask, listen, routeTo, startGateway } from './fixture.ts';

const ok = 'HTTP/1.1 200 OK\r\n';

/** A server of plain bytes in place of a bot; `onHead` gets the number of the connection and that
 * of the request on it. */
async function startBot(onHead: (socket: Socket, connection: number, request: number) => void) {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const connection = ++connections;
    let requests = 0;
    open.add(socket);
    socket.on('error', () => {});
    let seen = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      seen += text;
      for (let end = seen.indexOf('\r\n\r\n'); end !== -1; end = seen.indexOf('\r\n\r\n')) {
        seen = seen.slice(end + 4);
        onHead(socket, connection, ++requests);
      }
    });
  });
  const port = await listen(server);
  const gateway = await startGateway([routeTo(port)]);
  return {
    port: gateway.port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('an answer', () => {
  test('that ends with its connection is whole', async () => {
    await using bot = await startBot((socket) => socket.end(`${ok}\r\nall of it`));
    const { status, body } = await ask(bot.port);
    assert.deepEqual([status, body], [200, 'all of it']);
  });

  test('that breaks off breaks off for the client', async () => {
    const halves = ['Content-Length: 9\r\n\r\nhalf', 'Transfer-Encoding: chunked\r\n\r\n9\r\nhalf'];
    for (const half of halves) {
      await using bot = await startBot((socket) => socket.end(`${ok}${half}`));
      await assert.rejects(ask(bot.port), { code: 'ECONNRESET' });
    }
  });

  test('that is not valid is told as such', async () => {
    for (const bytes of ['hello', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'HTTP/1.1 101 Sure\r\n\r\n']) {
      await using bot = await startBot((socket) => socket.write(bytes));
      const { status, headers } = await ask(bot.port);
      assert.deepEqual([status, headers['x-error-code']], [502, 'bot_answer_not_valid'], bytes);
    }
  });

  test('is not mixed with what comes after it', async () => {
    const two = `${ok}Content-Length: 3\r\n\r\none${ok}Content-Length: 3\r\n\r\ntwo`;
    await using bot = await startBot((socket) => socket.write(two));
    for (const expected of [1, 2]) {
      const { body } = await ask(bot.port);
      assert.deepEqual([body, bot.connections()], ['one', expected]);
    }
  });
});

describe('a connection to a bot', () => {
  const one = `${ok}Content-Length: 1\r\n\r\nx`;

  test('is kept, but not for what must not be sent twice', async () => {
    await using bot = await startBot((socket) => socket.write(one));
    await ask(bot.port);
    await ask(bot.port);
    assert.equal(bot.connections(), 1);
    await ask(bot.port, { method: 'DELETE' });
    assert.equal(bot.connections(), 2);
  });

  test('is not kept when the bot says so, or closes it soon', async () => {
    for (const header of ['Connection: close', 'Keep-Alive: timeout=1']) {
      await using bot = await startBot((socket) => socket.write(one.replace('\r\n', `\r\n${header}\r\n`)));
      await ask(bot.port);
      await ask(bot.port);
      assert.equal(bot.connections(), 2, header);
    }
  });

  test('that closes on its way is taken for nothing: the request is sent again', async () => {
    await using bot = await startBot((socket, _, request) => (request === 1 ? socket.write(one) : socket.destroy()));
    for (const expected of [1, 2, 3]) {
      const { status } = await ask(bot.port);
      assert.deepEqual([status, bot.connections()], [200, expected]);
    }
  });

  test('that always closes is told', async () => {
    await using bot = await startBot((socket) => socket.destroy());
    const { status, headers } = await ask(bot.port);
    assert.deepEqual([status, headers['x-error-code']], [502, 'bot_connection_lost']);
  });
});
