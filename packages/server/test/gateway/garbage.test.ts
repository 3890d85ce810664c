// Bots and visitors that send garbage: whatever they send, the gateway lives, and serves others.
// Bytes of right messages are changed at random places, from a seed that a failure prints.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import type { Route } from '../../src/core/domain/route.ts';
import { until } from '../support/until.ts';
import { ask, host, listen, rawClient, type RunningGateway, routeTo, startBackend, startGateway } from './fixture.ts';

const rounds = Number(process.env.GARBAGE_ROUNDS ?? 200);
const seed = Number(process.env.GARBAGE_SEED ?? Date.now() % 1_000_000);
const otherHost = 'other.apps.localhost';

/** Numbers in [0, below), the same for the same seed. */
function randomOf(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const odd = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  ':',
  '\t',
  '\x7f',
  '\xff',
  '0',
  'ffffffff',
  ',',
  ';',
  '\r\n\r\n',
  'chunked',
  'HTTP/1.1',
];

function changed(text: string, random: (below: number) => number): string {
  let result = text;
  for (let count = random(4); count >= 0; count--) {
    const at = random(result.length + 1);
    const cut = random(3) === 0 ? random(12) : 0;
    result = result.slice(0, at) + (odd[random(odd.length)] ?? '') + result.slice(at + cut);
  }
  return result;
}

const answers = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n5\r\nhello\r\n0\r\nX-A: b\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello',
  'HTTP/1.0 200 OK\r\nConnection: close\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\nuntil the end',
];
const requests = [
  `GET /a?b=c HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nTE: trailers\r\n\r\n`,
  `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello`,
  `PUT / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-A: b\r\n\r\n`,
  `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello`,
  `HEAD http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 192.0.2.1\r\nForwarded: for=x\r\nVia: 1.1 y\r\n\r\n`,
];

let bytes = '';
const bot = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(bytes, 'latin1'));
});
let others: Awaited<ReturnType<typeof startBackend>>;
let running: RunningGateway;

before(async () => {
  others = await startBackend((_, response) => response.end('ok'));
  const other: Route = routeTo(others.port, { appId: 'other', name: 'other', hostnames: [otherHost] });
  running = await startGateway([routeTo(await listen(bot)), other], { waitMs: 100, answerMs: 300 }, ['127.0.0.1']);
});
after(async () => {
  await running[Symbol.asyncDispose]();
  await others[Symbol.asyncDispose]();
  bot.close();
});

async function send(request: string): Promise<void> {
  const client = rawClient(running.port);
  client.socket.end(request, 'latin1');
  await until(() => client.socket.closed).catch(() => {
    throw new Error(`No answer, GARBAGE_SEED=${seed}: ${JSON.stringify({ request, bytes })}`);
  });
}

async function othersAreServed(): Promise<void> {
  assert.equal((await ask(running.port, { headers: { host: otherHost } })).body, 'ok', `GARBAGE_SEED=${seed}`);
}

test('answers', async () => {
  const random = randomOf(seed);
  for (const link of ['', 'bad', '<>', '</a>; rel=', 'a\x80b']) {
    bytes = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;
    assert.equal((await ask(running.port)).body, 'ok', link);
  }
  for (let round = 0; round < rounds; round++) {
    bytes = changed(answers[random(answers.length)] ?? '', random);
    await send(requests[random(requests.length)] ?? '');
    if (round % 50 === 0) await othersAreServed();
  }
  await othersAreServed();
});

test('requests', async () => {
  const random = randomOf(seed + 1);
  for (let round = 0; round < rounds; round++) {
    bytes = answers[random(answers.length)] ?? '';
    await send(changed(requests[random(requests.length)] ?? '', random));
    if (round % 50 === 0) await othersAreServed();
  }
  await othersAreServed();
  assert.ok(running.accesses.length > 0);
});
