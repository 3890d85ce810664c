// Requests and answers through the gateway: what goes on unchanged, what is taken out, and what is
// put in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { ask, host, rawClient, routeTo, startBackend, startGateway, startRawBackend } from './fixture.ts';

/** Values of a header in a flat list. */
function values(rawHeaders: string[], key: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === key);
}

describe('a request', () => {
  test('goes to the bot of its hostname as it was sent', async () => {
    await using bot = await startBackend((request, response) => request.pipe(response));
    await using running = await startGateway([routeTo(bot.port)]);
    const headers = { host: 'ECHO.apps.localhost.:8081', 'X-Odd': ['one', 'two'], cookie: 'a=b' };
    const { status, body } = await ask(running.port, { method: 'POST', path: '/a%20b?c=d&e', headers }, 'hello');
    assert.deepEqual([status, body], [200, 'hello']);
    const [seen] = bot.seen;
    assert.deepEqual([seen?.method, seen?.url], ['POST', '/a%20b?c=d&e']);
    assert.deepEqual(values(seen?.rawHeaders ?? [], 'host'), ['ECHO.apps.localhost.:8081']);
    assert.deepEqual(values(seen?.rawHeaders ?? [], 'x-odd'), ['one', 'two']);
    assert.deepEqual(values(seen?.rawHeaders ?? [], 'content-length'), ['5']);
  });

  test('of a stranger says nothing about where it comes from; what a trusted proxy says goes on', async () => {
    await using bot = await startBackend((_, response) => response.end());
    const claims = {
      'X-Forwarded-For': '203.0.113.9',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'other.example',
      'X-Forwarded-Port': '443',
      X_Forwarded_For: '203.0.113.10',
      'X-Real-IP': '203.0.113.11',
      Forwarded: 'for=203.0.113.12',
    };
    const facts = async (trusted: string[]) => {
      await using running = await startGateway([routeTo(bot.port)], {}, trusted);
      await ask(running.port, { headers: { ...claims, host: `${host}:8081` } });
      const { rawHeaders } = bot.seen.at(-1) ?? { rawHeaders: [] };
      const names = [
        'x-forwarded-for',
        'x-forwarded-proto',
        'x-forwarded-host',
        'x-forwarded-port',
        'x-real-ip',
        'forwarded',
      ];
      assert.deepEqual(values(rawHeaders, 'x_forwarded_for'), []);
      return names.map((name) => values(rawHeaders, name).join('|'));
    };
    assert.deepEqual(await facts([]), [
      '127.0.0.1',
      'http',
      `${host}:8081`,
      '8081',
      '127.0.0.1',
      `for=127.0.0.1;host="${host}:8081";proto=http`,
    ]);
    assert.deepEqual(await facts(['127.0.0.1']), [
      '203.0.113.9, 127.0.0.1',
      'https',
      'other.example',
      '443',
      '203.0.113.9',
      'for=203.0.113.12, for=127.0.0.1;host=other.example;proto=https',
    ]);
  });

  test('loses what belongs to its connection, and nothing else', async () => {
    await using bot = await startBackend((_, response) => response.end());
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close, X-Hop, Host\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n` +
        'Proxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nTE: trailers, gzip\r\nX-End: 2\r\n\r\n',
    );
    assert.match(await client.closed, /^HTTP\/1\.1 200 /);
    const { rawHeaders } = bot.seen[0] ?? { rawHeaders: [] };
    const left = ['x-hop', 'keep-alive', 'proxy-connection', 'proxy-authorization'].flatMap((key) =>
      values(rawHeaders, key),
    );
    assert.deepEqual(left, []);
    assert.deepEqual(values(rawHeaders, 'te'), ['trailers']);
    assert.deepEqual(values(rawHeaders, 'x-end'), ['2']);
    assert.deepEqual(values(rawHeaders, 'host'), [host]);
  });

  test('in chunks keeps its trailers', async () => {
    let trailers = {};
    await using bot = await startBackend(async (request, response) => {
      await buffer(request);
      trailers = request.trailers;
      response.end();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(
      `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n` +
        '5\r\nhello\r\n0\r\nX-Sum: 42\r\nHost: other.example\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n',
    );
    assert.match(await client.closed, /^HTTP\/1\.1 200 /);
    assert.deepEqual({ ...trailers }, { 'x-sum': '42' });
  });

  test('that expects to be asked for its body is asked by the bot', async () => {
    await using bot = await startBackend(async (request, response) => response.end(await buffer(request)));
    await using running = await startGateway([routeTo(bot.port)]);
    const asked = request({
      port: running.port,
      host: '127.0.0.1',
      method: 'PUT',
      headers: { host, expect: '100-continue', 'content-length': 4 },
    });
    asked.flushHeaders();
    await once(asked, 'continue');
    asked.end('body');
    const [answer] = await once(asked, 'response');
    assert.equal((await buffer(answer)).toString(), 'body');
  });

  test('without a body stays without one', async () => {
    await using bot = await startBackend((request, response) => response.end(JSON.stringify(request.headers)));
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const text = await client.closed;
    assert.match(text, /"content-length":"0"/);
    assert.doesNotMatch(text, /transfer-encoding":/);
    const got = JSON.parse((await ask(running.port, { method: 'DELETE', headers: { 'content-length': 0 } })).body);
    assert.equal(got['transfer-encoding'], undefined);
  });
});

describe('an answer', () => {
  test('comes back as it was sent', async () => {
    await using bot = await startRawBackend(
      'HTTP/1.1 418 Short And Stout\r\nSet-Cookie: a=1\r\nContent-Length: 3\r\nSet-Cookie: b=2\r\n' +
        'Content-Disposition: attachment; filename="\u00e6\u0097\u00a5.pdf"\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\n\r\ntea',
    );
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const text = await client.closed;
    assert.match(text, /^HTTP\/1\.1 418 Short And Stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
    assert.match(text, /filename="\u00e6\u0097\u00a5\.pdf"\r\n/);
    assert.doesNotMatch(text, /X-Hop/);
    assert.match(text, /\r\nContent-Length: 3\r\n/);
    assert.match(text, /\r\n\r\ntea$/);
  });

  test('without a body has none: HEAD, 204, 304', async () => {
    await using bot = await startBackend((request, response) => {
      const status = Number(request.url?.slice(1));
      response.writeHead(status, status === 204 ? {} : { 'content-length': 1000, etag: '"x"' });
      response.end();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    for (const [method, status, length] of [
      ['HEAD', 200, '1000'],
      ['GET', 204, undefined],
      ['GET', 304, '1000'],
    ] as const) {
      const { body, headers, ...got } = await ask(running.port, { method, path: `/${status}` });
      assert.deepEqual([got.status, body, headers['content-length']], [status, '', length]);
    }
  });

  test('in chunks keeps its trailers, and early hints come early', async () => {
    await using bot = await startBackend((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200, { trailer: 'X-Sum' });
      response.write('part');
      response.addTrailers({ 'X-Sum': '7' });
      response.end();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const asked = request({ port: running.port, host: '127.0.0.1', headers: { host } }).end();
    const [[hint], [answer]] = await Promise.all([once(asked, 'information'), once(asked, 'response')]);
    assert.deepEqual([hint.statusCode, hint.headers.link], [103, '</style.css>; rel=preload']);
    assert.equal((await buffer(answer)).toString(), 'part');
    assert.deepEqual({ ...answer.trailers }, { 'x-sum': '7' });
  });

  test('with a hint that is not valid is passed on all the same', async () => {
    for (const link of ['', 'bad', '<>', '</a>; rel=', 'a\u0080b']) {
      const hint = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\nX-Odd: 1\r\n\r\n`;
      await using bot = await startRawBackend(`${hint}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
      await using running = await startGateway([routeTo(bot.port)]);
      const { status, body } = await ask(running.port);
      assert.deepEqual([status, body], [200, 'ok'], link);
    }
  });

  test('goes to a client of HTTP/1.0 without chunks', async () => {
    await using bot = await startBackend((_, response) => {
      response.writeHead(200, { trailer: 'X-Sum' });
      response.write('one ');
      response.end('two');
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const client = rawClient(running.port);
    client.socket.write(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
    assert.match(await client.closed, /\r\n\r\none two$/);
  });

  test('that comes before the body is whole is passed on, and the rest of the body is taken', async () => {
    await using bot = await startBackend((request, response) => {
      request.once('data', () => response.end('enough'));
      request.resume();
    });
    await using running = await startGateway([routeTo(bot.port)]);
    const asked = request({
      port: running.port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { host, 'content-length': 300_000 },
    });
    asked.write(Buffer.alloc(100_000));
    const [answer] = await once(asked, 'response');
    assert.equal((await buffer(answer)).toString(), 'enough');
    asked.end(Buffer.alloc(200_000));
    await once(asked, 'finish');
  });
});

test('connections are kept on both sides', async () => {
  const sockets = new Set<unknown>();
  await using bot = await startBackend((request, response) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  await using running = await startGateway([routeTo(bot.port)]);
  const client = rawClient(running.port);
  for (let count = 1; count <= 3; count++) {
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await client.until((text) => text.split('\r\n\r\nok').length === count + 1);
  }
  client.socket.destroy();
  assert.equal(sockets.size, 1);
});

test('a connection to a bot that carried a body carries no other request', async () => {
  const sockets: unknown[] = [];
  await using bot = await startBackend((request, response) => {
    sockets.push(request.socket);
    response.end('ok');
  });
  await using running = await startGateway([routeTo(bot.port)]);
  const hidden = `GET /hidden HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  for (const method of ['GET', 'HEAD', 'POST', 'GET'])
    await ask(running.port, { method, headers: { 'content-length': hidden.length } }, hidden);
  assert.equal(new Set(sockets).size, 4);
  assert.ok(bot.seen.every(({ url }) => url === '/'));
});

test('every request of an app is noted, without its query', async () => {
  await using bot = await startBackend(async (request, response) =>
    response.writeHead(201).end(`${(await buffer(request)).length}`),
  );
  await using running = await startGateway([routeTo(bot.port)]);
  await ask(running.port, { method: 'POST', path: '/pay?token=secret' }, 'abcdef');
  await ask(running.port, { headers: { host: 'other.apps.localhost' } });
  const [{ at, ms, ...noted } = { at: 0, ms: -1 }, ...others] = running.accesses;
  assert.ok(at > 0 && ms >= 0);
  assert.deepEqual(noted, {
    appId: 'app-echo',
    botId: 'bot-echo',
    run: 1,
    method: 'POST',
    path: '/pay',
    status: 201,
    bytesIn: 6,
    bytesOut: 1,
    address: '127.0.0.1',
  });
  assert.deepEqual(others, []);
});
