// Bots of three languages as a visitor sees them, at the gateway itself, behind Caddy and behind
// nginx: pages, streams both ways, events, WebSockets, and a gigabyte up and down through a gateway
// that takes no more memory for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import {
  type Front,
  listens,
  openWebAppFixture,
  publicHost,
  startCaddy,
  startNginx,
  startWebApp,
} from './web-app-fixture.ts';
import { type WebAppFixture, webLanguages } from './web-app-fixture.ts';
import { echo, frameOf, get, http1, plainFrameOf, post, reader, textOf, type WayIn } from './web-client.ts';

const gigabyte = 2 ** 30;
/** What it may take of memory meanwhile, most of which is what the collector has not looked at
 * yet. */
const flatMb = 128;

let fixture: WebAppFixture;
let caddy: Awaited<ReturnType<typeof startCaddy>>;
let nginx: Front;
const hosts: Record<string, string> = {};

before(async () => {
  fixture = await openWebAppFixture();
  const { client } = fixture.server;
  [caddy, nginx] = await Promise.all([startCaddy(fixture), startNginx(fixture)]);
  const started = webLanguages.map(async (language) => {
    hosts[language] = (await startWebApp(client, `web-${language}`, language)).host;
  });
  await Promise.all(started);
});
after(async () => {
  await caddy?.[Symbol.asyncDispose]();
  await nginx?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const ways: Record<string, { way: () => WayIn; proto: string }> = {
  'at the gateway': { way: () => fixture.way, proto: 'http' },
  'behind Caddy': { way: () => caddy.way, proto: 'https' },
  'behind nginx': { way: () => nginx.way, proto: 'https' },
};

for (const [place, { way, proto }] of Object.entries(ways)) {
  for (const language of webLanguages) {
    describe(`${language} ${place}`, () => {
      const host = () => hosts[language] ?? '';

      test('a page', async () => {
        using exchange = way().open({ host: host(), path: '/plain', headers: { 'X-Custom': 'kept' } });
        const { status, headers, body } = await exchange.answer;
        const seen = JSON.parse(await textOf(body));
        assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
        assert.deepEqual([seen.language, seen.httpVersion], [language, '1.1']);
        const { host: asked, 'x-custom': custom, 'x-forwarded-proto': scheme, 'x-real-ip': address } = seen.headers;
        assert.deepEqual([asked.split(':')[0], custom, scheme, address], [host(), 'kept', proto, '127.0.0.1']);
      });

      test('a stream each way at the same time', async () => {
        // Caddy reads a whole body first where the connection is of HTTP/1.1; here it is of HTTP/2.
        using exchange = way().open({ host: host(), path: '/echo', method: 'POST' });
        exchange.body.write('one');
        const { body } = await exchange.answer;
        const next = reader(body);
        await next('one');
        exchange.body.write('two');
        await next('two');
        exchange.body.end('three');
        await next('three');
      });

      test('events as they happen', async () => {
        using exchange = way().open({ host: host(), path: '/events' });
        const { headers, body } = await exchange.answer;
        assert.equal(headers['content-type'], 'text/event-stream');
        const next = reader(body);
        await next('data: open\n\n');
        for (const text of ['first', 'second']) {
          assert.notEqual(await post(way(), host(), '/publish', text), '0');
          await next(`data: ${text}\n\n`);
        }
      });

      test('a WebSocket', async () => {
        const socket = await way().upgrade(host(), '/ws');
        for (const text of ['hello', 'x'.repeat(125), '']) await echo(socket, text);
        socket.write(frameOf('', 8));
        await once(socket, 'readable');
        assert.deepEqual(socket.read(), plainFrameOf('', 8));
        socket.resume();
        await once(socket, 'close');
      });

      test('megabytes up and down', async () => {
        const bytes = 5_000_000;
        assert.equal(await post(way(), host(), '/up', 'x'.repeat(bytes)), String(bytes));
        const { status, text } = await get(way(), host(), `/down?bytes=${bytes}`);
        assert.deepEqual([status, text.length], [200, bytes]);
      });
    });
  }
}

describe('a gigabyte', () => {
  const paths: [string, () => WayIn][] = [
    ['at the gateway', () => fixture.way],
    ['behind Caddy', () => http1(caddy.port, caddy.ca)],
  ];
  for (const [place, way] of paths) {
    test(`up and down ${place} takes no memory of the gateway`, async () => {
      const host = hosts.go ?? '';
      const { pid } = fixture.gateway;
      const before = memoryMb(pid, 'VmRSS');
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      assert.equal(await sendBytes(way(), host, gigabyte), String(gigabyte));
      assert.equal(await receiveBytes(way(), host, gigabyte), gigabyte);
      const taken = memoryMb(pid, 'VmHWM') - before;
      assert.ok(taken < flatMb, `${taken} MB more than ${before}`);
    });
  }
});

describe('names', () => {
  test('of Botel alone have a certificate at Caddy', async () => {
    for (const host of ['nobody.apps.localhost', 'example.com', 'botel.example', '127.0.0.1'])
      await assert.rejects(get(caddy.way, host, '/'), /alert|SSL|TLS/i, host);
    assert.equal((await get(caddy.way, hosts.python ?? '', '/plain')).status, 200);
  });

  test('that nginx does not know have none', async () => {
    await assert.rejects(get(nginx.way, 'example.com', '/'), /alert|SSL|TLS/i);
  });

  test('lead to the API and the dashboard, but not to what is for this machine', async () => {
    for (const { way } of [caddy, nginx]) {
      const health = await get(way, publicHost, '/health');
      assert.deepEqual([health.status, JSON.parse(health.text).data.status], [200, 'ok']);
      assert.equal((await get(way, publicHost, `/internal/tls-ask?domain=${hosts.nodejs}`)).status, 404);
      // An app may have such a path.
      assert.equal((await get(way, hosts.nodejs ?? '', '/internal/x')).status, 404);
    }
  });

  test('asked by plain HTTP are sent to https', async () => {
    using exchange = http1(caddy.httpPort).open({ host: hosts.nodejs ?? '', path: '/plain?a=1' });
    const { status, headers } = await exchange.answer;
    assert.deepEqual([status, headers.location], [308, `https://${hosts.nodejs}:${caddy.port}/plain?a=1`]);
  });
});

test('what a visitor claims of itself does not reach the bot', async () => {
  const claims = {
    'X-Forwarded-For': '203.0.113.9',
    'X-Forwarded-Port': '51137',
    'X-Real-IP': '203.0.113.9',
    Forwarded: 'for=203.0.113.9',
  };
  for (const { way } of [caddy, nginx]) {
    using exchange = way.open({ host: hosts.nodejs ?? '', path: '/plain', headers: claims });
    const text = await textOf((await exchange.answer).body);
    assert.doesNotMatch(text, /203\.0\.113\.9|51137/);
  }
});

test('many requests share one connection of HTTP/2 at Caddy', async () => {
  const host = hosts.nodejs ?? '';
  const session = connect(`https://${host}`, {
    createConnection: () =>
      connectTls({ host: '127.0.0.1', port: caddy.port, servername: host, ca: caddy.ca, ALPNProtocols: ['h2'] }),
  });
  const answers = Array.from({ length: 50 }, async () => {
    const stream = session.request({ ':path': '/plain' });
    const [headers] = await once(stream, 'response');
    return [headers[':status'], JSON.parse(await textOf(stream)).language];
  });
  for (const answer of await Promise.all(answers)) assert.deepEqual(answer, [200, 'nodejs']);
  session.close();
  await once(session, 'close');
  assert.ok(await listens(caddy.port));
});

function memoryMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}

async function sendBytes(way: WayIn, host: string, bytes: number): Promise<string> {
  const block = Buffer.alloc(1024 * 1024, 1);
  using exchange = way.open({ host, path: '/up', method: 'POST', headers: { 'Content-Length': String(bytes) } });
  for (let sent = 0; sent < bytes; sent += block.length)
    if (!exchange.body.write(block)) await once(exchange.body, 'drain');
  exchange.body.end();
  return await textOf((await exchange.answer).body);
}

/** Number of bytes that came as the bot sent them. */
async function receiveBytes(way: WayIn, host: string, bytes: number): Promise<number> {
  const block = Buffer.from(Array.from({ length: 65_536 }, (_, index) => index % 251));
  using exchange = way.open({ host, path: `/down?bytes=${bytes}` });
  const { body } = await exchange.answer;
  let received = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    for (let read = 0; read < part.length; ) {
      const from = (received + read) % block.length;
      const length = Math.min(block.length - from, part.length - read);
      if (block.compare(part, read, read + length, from, from + length) !== 0) return received;
      read += length;
    }
    received += part.length;
  }
  return received;
}
