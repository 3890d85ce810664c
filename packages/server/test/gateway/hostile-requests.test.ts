// Requests that two servers could read differently: each is refused, or read as one harmless
// request. For each: what the bot saw, and what the client got.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { host, rawClient, routeTo, startBackend, startGateway } from './fixture.ts';

const h = `Host: ${host}`;
/** What follows a request that should not be; when a bot sees it, it was smuggled. */
const smuggled = `GET /smuggled HTTP/1.1\r\n${h}\r\n\r\n`;

/** Refused: 4xx or a closed connection, and no `/smuggled` at the bot; `/refused` has not begun
 * there. */
const refused: Record<string, string> = {
  'length and chunks': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunks and length': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
  'two lengths that differ': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n${smuggled}`,
  'two equal lengths': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n${smuggled}`,
  'a list of lengths': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 0, 9\r\n\r\n${smuggled}`,
  'a length with a sign': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: +0\r\n\r\n${smuggled}`,
  'a negative length': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: -1\r\n\r\n${smuggled}`,
  'a length in hex': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 0x0\r\n\r\n${smuggled}`,
  'a length with a space inside': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 0 0\r\n\r\n${smuggled}`,
  'a length with a fraction': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 1.0\r\n\r\n${smuggled}`,
  'an empty length': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: \r\n\r\n${smuggled}`,
  'a length over all numbers': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length: 99999999999999999999\r\n\r\n${smuggled}`,
  'a coding that is none': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunked in quotes': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n${smuggled}`,
  'identity after chunked': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunked twice in a list': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunked twice': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunked and identity': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
  'gzip and chunked': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'identity alone': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: identity\r\n\r\n${smuggled}`,
  'an empty coding': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding:\r\n\r\n${smuggled}`,
  'a coding after a vertical tab': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a coding with a parameter': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n${smuggled}`,
  'a coding on a folded line': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a coding in HTTP/1.0': `POST /refused HTTP/1.0\r\n${h}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a folded line': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: one\r\n two\r\n\r\n`,
  'a folded first line': `GET /refused HTTP/1.1\r\n ${h}\r\n${h}\r\n\r\n`,
  'a space before the colon': `POST /refused HTTP/1.1\r\n${h}\r\nContent-Length : 0\r\n\r\n${smuggled}`,
  'a space before the colon of the coding': `POST /refused HTTP/1.1\r\n${h}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a tab before the colon': `GET /refused HTTP/1.1\r\n${h}\r\nX-A\t: 1\r\n\r\n`,
  'a space in a name': `GET /refused HTTP/1.1\r\n${h}\r\nX A: 1\r\n\r\n`,
  'a name without a colon': `GET /refused HTTP/1.1\r\n${h}\r\nX-A\r\n\r\n`,
  'an empty name': `GET /refused HTTP/1.1\r\n${h}\r\n: 1\r\n\r\n`,
  'a NUL in a value': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: a\0b\r\n\r\n`,
  'a NUL in a name': `GET /refused HTTP/1.1\r\n${h}\r\nX\0A: b\r\n\r\n`,
  'a control character in a value': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: a\x01b\r\n\r\n`,
  'a bare CR in a value': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: a\rContent-Length: 5\r\n\r\n`,
  'bare LF everywhere': `GET /refused HTTP/1.1\n${h}\n\n`,
  'a bare LF after a value': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: a\nX-B: b\r\n\r\n`,
  'a bare LF at the end of the head': `GET /refused HTTP/1.1\r\n${h}\r\n\n`,
  'CR CR LF': `GET /refused HTTP/1.1\r\n${h}\r\r\n\r\n`,
  'HTTP/0.9': 'GET /refused\r\n\r\n',
  'HTTP/1.2': `GET /refused HTTP/1.2\r\n${h}\r\n\r\n`,
  'HTTP/2.0': `GET /refused HTTP/2.0\r\n${h}\r\n\r\n`,
  'http in lower case': `GET /refused http/1.1\r\n${h}\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'another protocol': `GET /refused ICY/1.0\r\n${h}\r\n\r\n`,
  'a method of no protocol': `SMUGGLE /refused HTTP/1.1\r\n${h}\r\n\r\n`,
  'a space in the path': `GET /refused here HTTP/1.1\r\n${h}\r\n\r\n`,
  'a control character in the path': `GET /refused\x01 HTTP/1.1\r\n${h}\r\n\r\n`,
  'a fragment in the path': `GET /refused#part HTTP/1.1\r\n${h}\r\n\r\n`,
  'a path without a slash': `GET refused HTTP/1.1\r\n${h}\r\n\r\n`,
  'a star of another method': `GET * HTTP/1.1\r\n${h}\r\n\r\n`,
  'the address of another host': `GET http://other.example/refused HTTP/1.1\r\n${h}\r\n\r\n`,
  'an address with a user': `GET http://user@${host}/refused HTTP/1.1\r\n${h}\r\n\r\n`,
  'another scheme': `GET ftp://${host}/refused HTTP/1.1\r\n${h}\r\n\r\n`,
  CONNECT: `CONNECT ${host}:80 HTTP/1.1\r\n${h}\r\n\r\n`,
  TRACE: `TRACE /refused HTTP/1.1\r\n${h}\r\n\r\n`,
  'no host': 'GET /refused HTTP/1.1\r\n\r\n',
  'an empty host': 'GET /refused HTTP/1.1\r\nHost:\r\n\r\n',
  'two hosts': `GET /refused HTTP/1.1\r\n${h}\r\nHost: other.example\r\n\r\n`,
  'the same host twice': `GET /refused HTTP/1.1\r\n${h}\r\n${h}\r\n\r\n`,
  'a list of hosts': `GET /refused HTTP/1.1\r\nHost: ${host}, other.example\r\n\r\n`,
  'a host with a path': `GET /refused HTTP/1.1\r\nHost: ${host}/x\r\n\r\n`,
  'a host with a user': `GET /refused HTTP/1.1\r\nHost: a@${host}\r\n\r\n`,
  'a host with a wrong port': `GET /refused HTTP/1.1\r\nHost: ${host}:x\r\n\r\n`,
  'a host with two dots': 'GET /refused HTTP/1.1\r\nHost: echo..apps.localhost\r\n\r\n',
  'an upgrade with a body': `GET /refused HTTP/1.1\r\n${h}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'a head that is too large': `GET /refused HTTP/1.1\r\n${h}\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`,
};

/** The head is right, the body is not: it may begin at the bot, but never ends there, and nothing
 * follows. */
const broken: Record<string, string> = {
  'a chunk without a size': `\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a size that is no number': `zz\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a size with 0x': `0x5\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a negative size': `-5\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a size with a sign': `+5\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a size over all numbers': `fffffffffffffffff\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a bare LF after a size': `5\nhello\r\n0\r\n\r\n${smuggled}`,
  'a bare CR after a size': `5\rhello\r\n0\r\n\r\n${smuggled}`,
  'a bare LF in an extension': `5;a\nhello\r\n0\r\n\r\n${smuggled}`,
  'a bare CR in an extension': `5;a\rb\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a NUL in an extension': `5;\0\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a space before an extension': `5 ;a=b\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'a chunk that is longer than its size': `3\r\nhello\r\n0\r\n\r\n${smuggled}`,
  'no line end after a chunk': `5\r\nhello0\r\n\r\n${smuggled}`,
  'a bare LF after a chunk': `5\r\nhello\n0\r\n\r\n${smuggled}`,
  'a length in the trailers': `0\r\nContent-Length: 5\r\n\r\n${smuggled}`,
  'a bare LF after the last chunk': `0\n\n${smuggled}`,
  'a bare LF in the trailers': `0\r\nX-A: b\n\r\n${smuggled}`,
};

test('requests that could be read in two ways are refused', async (context) => {
  await using bot = await startBackend((request, response) => {
    request.resume();
    request.once('end', () => response.end('ok'));
  });
  await using running = await startGateway([routeTo(bot.port)]);
  for (const [name, bytes] of Object.entries(refused))
    await context.test(name, async () => {
      bot.seen.length = 0;
      const client = rawClient(running.port);
      client.socket.end(bytes, 'latin1');
      assert.match(await client.closed, /^$|^HTTP\/1\.1 4\d\d [^\r]*\r\n(?!.*HTTP\/1)/s);
      assert.deepEqual(bot.seen, []);
    });
  for (const [name, body] of Object.entries(broken))
    await context.test(name, async () => {
      bot.seen.length = 0;
      const client = rawClient(running.port);
      client.socket.end(`POST /begun HTTP/1.1\r\n${h}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`, 'latin1');
      assert.match(await client.closed, /^$|^HTTP\/1\.1 4\d\d [^\r]*\r\n(?!.*HTTP\/1)/s);
      assert.ok(bot.seen.every(({ url }) => url === '/begun'));
    });
});

test('what is unusual but clear is served, and cleaned', async (context) => {
  await using bot = await startBackend((request, response) => {
    request.resume();
    request.once('end', () => response.end('ok'));
  });
  await using running = await startGateway([routeTo(bot.port)]);
  const cases: Record<string, [string, (rawHeaders: string[]) => boolean]> = {
    'its own address in the first line': [`GET http://${host}/served?x HTTP/1.1\r\n${h}\r\n`, () => true],
    'two spaces in the first line': [`GET  /served?x HTTP/1.1\r\n${h}\r\n`, () => true],
    'empty lines before it': [`\r\n\r\nGET /served?x HTTP/1.1\r\n${h}\r\n`, () => true],
    'CHUNKED in capitals': [
      `POST /served?x HTTP/1.1\r\n${h}\r\nTransfer-Encoding: CHUNKED\r\n`,
      (raw) => raw.includes('chunked') && !raw.includes('CHUNKED'),
    ],
    'names with underscores that mean framing': [
      `POST /served?x HTTP/1.1\r\n${h}\r\nContent_Length: 5\r\nTransfer_Encoding: chunked\r\nHost_: x\r\n`,
      (raw) => !raw.some((text) => /content_length|transfer_encoding/i.test(text)),
    ],
    'a coding of another spelling': [
      `POST /served?x HTTP/1.1\r\n${h}\r\nX-Transfer-Encoding: chunked\r\nTransfer-Encodings: chunked\r\n`,
      (raw) => !raw.includes('Transfer-Encoding'),
    ],
    'Connection that names the length': [
      `POST /served?x HTTP/1.1\r\n${h}\r\nConnection: Content-Length\r\nContent-Length: 0\r\n`,
      (raw) => raw.includes('Content-Length'),
    ],
  };
  for (const [name, [head, isClean]] of Object.entries(cases))
    await context.test(name, async () => {
      bot.seen.length = 0;
      const client = rawClient(running.port);
      const isChunked = /\nTransfer-Encoding: chunked/i.test(head);
      client.socket.write(
        `${head}\r\n${isChunked ? '0\r\n\r\n' : ''}${smuggled.replace('smuggled', 'next')}`,
        'latin1',
      );
      await client.until((text) => text.split('\r\n\r\nok').length === 3);
      client.socket.destroy();
      assert.deepEqual(
        bot.seen.map(({ url }) => url),
        ['/served?x', '/next'],
      );
      assert.ok(isClean(bot.seen[0]?.rawHeaders ?? []), String(bot.seen[0]?.rawHeaders));
    });
});

test('an upgrade to HTTP/2 is not taken: the request is served as it is, the last one of its connection', async () => {
  await using bot = await startBackend(async (request, response) => response.end(`got ${await buffer(request)}`));
  await using running = await startGateway([routeTo(bot.port)]);
  const client = rawClient(running.port);
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
  client.socket.write(`POST / HTTP/1.1\r\n${h}\r\n${upgrade}Content-Length: 4\r\n\r\nbody${smuggled}`);
  assert.match(await client.closed, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n\r\ngot body$/s);
  assert.equal(bot.seen.length, 1);
  assert.ok(!bot.seen[0]?.rawHeaders.some((text) => /^(?:upgrade|http2-settings|h2c)$/i.test(text)));
});
