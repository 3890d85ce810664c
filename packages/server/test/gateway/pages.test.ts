// What the gateway says itself: codes, for people and for programs, and nothing of what a visitor
// sent.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import type { RouteState } from '../../src/core/domain/route.ts';
import {
  ask,
  host,
  listen,
  online,
  rawClient,
  routeTo,
  startBackend,
  startGateway,
  startRawBackend,
} from './fixture.ts';

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answerOf(state: RouteState, headers: Record<string, string> = {}) {
  await using running = await startGateway([routeTo(1, { state })], { waitMs: 50 });
  return await ask(running.port, { headers });
}

test('an unknown host is a 404, as a page or as the envelope', async () => {
  await using running = await startGateway([routeTo(1)]);
  const hostile = { host: 'x.apps.localhost', 'x-script': '<script>', cookie: '<script>' };
  const page = await ask(running.port, { path: '/<script>', headers: { ...hostile, accept: 'text/html,*/*;q=0.8' } });
  assert.equal(page.status, 404);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(page.body, /<h1>No such app<\/h1>/);
  assert.doesNotMatch(page.body, /<script|https?:|src=|href=/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
  assert.equal(page.headers['x-robots-tag'], 'noindex');
  const json = await ask(running.port, { headers: { host: 'x.apps.localhost' } });
  assert.deepEqual(JSON.parse(json.body), { success: false, error: 'There is no app at this address.' });
  assert.deepEqual([json.status, json.headers['x-error-code']], [404, 'app_not_found']);
  const head = await ask(running.port, { method: 'HEAD', headers: { host: 'x.apps.localhost' } });
  assert.deepEqual([head.status, head.body], [404, '']);
});

test('a bot that does not run is a 503 at once, with the time after which to come back', async () => {
  const offline = await answerOf({ kind: 'offline', reason: 'crashed' });
  assert.deepEqual(
    [offline.status, offline.headers['x-error-code'], offline.headers['retry-after']],
    [503, 'bot_offline', '30'],
  );
  assert.match(offline.body, /status reason is crashed/);
  const waiting = await answerOf({ kind: 'waiting', retryAt: Date.now() + 90_000 });
  assert.deepEqual([waiting.status, waiting.headers['x-error-code']], [503, 'bot_offline']);
  assert.ok(Math.abs(Number(waiting.headers['retry-after']) - 90) <= 2);
  const starting = await answerOf({ kind: 'starting' });
  assert.deepEqual(
    [starting.status, starting.headers['x-error-code'], starting.headers['retry-after']],
    [503, 'bot_starting', '5'],
  );
});

test('a bot that does not listen is a 502 that says what to do', async () => {
  const silent = await answerOf(online(await closedPort()), { accept: 'text/html' });
  assert.deepEqual([silent.status, silent.headers['x-error-code']], [502, 'bot_not_listening']);
  assert.match(silent.body, /Listen on 0\.0\.0\.0 .* PORT/);
  const portless = await answerOf({ kind: 'portless' });
  assert.deepEqual([portless.status, portless.headers['x-error-code']], [502, 'bot_not_listening']);
});

test('an answer that is no HTTP, or none at all, is a 502', async () => {
  for (const [bytes, code] of [
    ['SSH-2.0-OpenSSH\r\n', 'bot_answer_not_valid'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 'bot_answer_not_valid'],
    ['HTTP/1.1 200 OK\r\nX-A: b\r\n folded\r\n\r\n', 'bot_answer_not_valid'],
    ['', 'bot_connection_lost'],
  ] as const) {
    await using bot = await startRawBackend(bytes, (socket) => bytes === '' && socket.destroy());
    await using running = await startGateway([routeTo(bot.port)]);
    const { status, headers } = await ask(running.port);
    assert.deepEqual([status, headers['x-error-code']], [502, code], bytes);
  }
});

test('an app over its limits is a 429, and the others are served', async () => {
  await using bot = await startBackend((request, response) => {
    if (request.url === '/held') response.write('begun');
    else response.end('ok');
  });
  const other = routeTo(bot.port, { appId: 'app-other', name: 'other', hostnames: ['other.apps.localhost'] });
  await using running = await startGateway([routeTo(bot.port), other], { appRequests: 2 });
  const held = [rawClient(running.port), rawClient(running.port)];
  for (const client of held) {
    client.socket.write(`GET /held HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await client.until((text) => text.includes('begun'));
  }
  const refused = await ask(running.port, { path: '/over?secret' });
  assert.deepEqual(
    [refused.status, refused.headers['x-error-code'], refused.headers['retry-after']],
    [429, 'app_over_limit', '1'],
  );
  assert.deepEqual(
    running.accesses.map(({ appId, run, status, path, address }) => [appId, run, status, path, address]),
    [['app-echo', 0, 429, '/over', '127.0.0.1']],
    'it is told as every request of the app',
  );
  assert.equal((await ask(running.port, { headers: { host: 'other.apps.localhost' } })).status, 200);
  for (const { socket } of held) socket.destroy();
  await Promise.all(held.map(({ closed }) => closed));
  let last = 0;
  while (last !== 200) last = (await ask(running.port)).status;
});

test('one visitor has its share of an app: by address, of IPv6 by the /64, as trusted proxies tell it', async () => {
  await using bot = await startBackend((_, response) => void response.write('begun'));
  await using running = await startGateway([routeTo(bot.port)], { appRequests: 4, visitorShare: 50 }, ['127.0.0.1']);
  const from = (address: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${address}\r\n\r\n`;
  const open = async (address: string, isEnough: RegExp) => {
    const client = rawClient(running.port);
    client.socket.write(from(address));
    await client.until((text) => isEnough.test(text));
    return client;
  };
  const held = await open('2001:db8:1:2::1', /begun/);
  await open('2001:db8:1:2:ffff::2', /begun/);
  await open('2001:db8:1:2::3', /^HTTP\/1\.1 429 .*X-Error-Code: visitor_over_limit/s);
  await open('2001:db8:1:3::1', /begun/);
  await open('192.0.2.1', /begun/);
  await open('192.0.2.2', /X-Error-Code: app_over_limit/);
  held.socket.destroy();
  await held.closed;
  await until(async () => (await open('2001:db8:1:2::3', /begun|429/)).text().includes('begun'));
});

test('an app has so many requests per second', async () => {
  await using bot = await startBackend((_, response) => response.end('ok'));
  await using running = await startGateway([routeTo(bot.port)], { appRate: 5 });
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(running.port)));
  const served = answers.filter(({ status }) => status === 200).length;
  assert.ok(served >= 5 && served < 40, String(served));
  assert.ok(answers.every(({ status }) => status === 200 || status === 429));
});

test('a bot that hangs is a 504, an upload that stands still a 408, and meanwhile others are served', async () => {
  await using hung = await startBackend((request) => request.resume());
  await using bot = await startBackend((_, response) => response.end('ok'));
  const other = routeTo(bot.port, { appId: 'app-other', name: 'other', hostnames: ['other.apps.localhost'] });
  await using running = await startGateway([routeTo(hung.port), other], { answerMs: 200 });
  const late = ask(running.port);
  const still = rawClient(running.port);
  still.socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\npart`);
  assert.equal((await ask(running.port, { headers: { host: 'other.apps.localhost' } })).body, 'ok');
  assert.deepEqual([(await late).status, (await late).headers['x-error-code']], [504, 'bot_answer_late']);
  await still.until((text) => /^HTTP\/1\.1 408 .*X-Error-Code: request_timeout/s.test(text));
  still.socket.destroy();
});
