// The gateway as a process of its own over the store of a running server: routes follow what owners
// do, and each of the two processes may be killed without the other.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import type { AccessLineData } from '@botel/contract/app-traffic';
import type { AppData, AppListData } from '@botel/contract/apps';
import { BotelClient } from '@botel/contract/client';
import { readEvents } from '@botel/contract/events';
import { adminEmail, adminPassword, goodBot } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { type ServedProcess, serve } from '../support/served-process.ts';
import { ask, listen, rawClient } from './fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-gateway-'));
const settings = {
  BOTEL_PORT: '0',
  BOTEL_DATA_DIR: directory,
  BOTEL_ENGINE: 'fake',
  BOTEL_ADMIN_EMAIL: adminEmail,
  BOTEL_ADMIN_PASSWORD: adminPassword,
  BOTEL_LOG_LEVEL: 'silent',
  BOTEL_DISK_REFUSE_PERCENT: '100',
};
const host = 'greeter.apps.localhost';
/** In place of the program of the bot, at the port that the bot was given. */
const program: Server = createServer(answerAsBot);
let server: ServedProcess;
let gateway: ServedProcess;
let client: BotelClient;
let botId: string;

before(async () => {
  const port = await listen(program);
  await startServer();
  gateway = await startGateway();
  botId = (await client.createBot({ ...goodBot, environment: { PORT: String(port) } })).id;
});
after(async () => {
  await gateway.end('SIGTERM');
  await server.end('SIGTERM');
  program.closeAllConnections();
  program.close();
  rmSync(directory, { recursive: true, force: true });
});

async function startServer(): Promise<void> {
  server = await serve({ ...settings, BOTEL_GATEWAY_PORT: 'off' });
  client = new BotelClient(server.url);
  await client.login(adminEmail, adminPassword);
}

const startGateway = () => serve({ ...settings, BOTEL_GATEWAY_PORT: '0' }, { role: 'gateway' });
const portOf = ({ url }: ServedProcess) => Number(/:(\d+)$/.exec(url)?.[1]);
const status = async () => (await ask(portOf(gateway), { headers: { host } })).status;
const becomes = (wanted: number) => until(async () => (await status()) === wanted);

function* pieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'x');
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

async function countBytes(stream: IncomingMessage): Promise<number> {
  let total = 0;
  for await (const chunk of stream) total += (chunk as Buffer).length;
  return total;
}

function answerAsBot(incoming: IncomingMessage, response: ServerResponse): void {
  const bytes = Number(/^\/bytes\/(\d+)$/.exec(incoming.url ?? '')?.[1] ?? 0);
  if (bytes > 0) void pipeline(Readable.from(pieces(bytes)), response).catch(() => undefined);
  else if (incoming.url === '/open') response.write('open');
  else void countBytes(incoming).then((total) => response.end(String(total)));
}

test('routes follow apps and bots', async () => {
  assert.equal(await status(), 404);
  await client.call('POST', '/apps/create', { bot_id: botId, name: 'greeter' });
  await becomes(503);
  await client.call('POST', '/bots/start', { bot_id: botId });
  await becomes(200);
  await client.call('POST', '/bots/restart', { bot_id: botId });
  assert.equal(await status(), 200);
  await client.call('POST', '/bots/stop', { bot_id: botId });
  await becomes(503);
  await client.call('POST', '/bots/start', { bot_id: botId });
  await becomes(200);
});

test('a request that comes after a change was answered goes by it, however soon', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  const make = (name: string) => client.call<AppData>('POST', '/apps/create', { bot_id: id, name });
  const { data: app } = await make('renamed-0');
  const seen: number[] = [];
  const look = async (name: string) =>
    void seen.push((await ask(portOf(gateway), { headers: { host: `${name}.apps.localhost` } })).status);
  for (let change = 1; change <= 20; change++) {
    await client.call('POST', '/apps/update', { app_id: app.id, name: `renamed-${change}` });
    await look(`renamed-${change}`);
    await look(`renamed-${change - 1}`);
  }
  await client.call('POST', '/bots/delete', { bot_id: id });
  await look('renamed-20');
  assert.deepEqual(seen, [...Array.from({ length: 20 }, () => [503, 404]).flat(), 404]);
});

test('what the gateway served is read from the server, live too', async () => {
  const { data } = await client.call<AppListData>('GET', '/apps');
  const id = data.apps[0]?.id ?? '';
  const abort = new AbortController();
  const response = await client.fetch('GET', `/apps/${id}/logs/stream?tail=0`, { signal: abort.signal });
  assert.equal((await ask(portOf(gateway), { headers: { host }, path: '/seen?token=secret' })).status, 200);
  for await (const { event, data: line } of readEvents(response.body!)) {
    // Those of before may still come.
    if (event !== 'log' || (line as AccessLineData).path !== '/seen') continue;
    assert.equal((line as AccessLineData).status, 200);
    break;
  }
  abort.abort();
  const app = (await client.call<AppData>('GET', `/apps/${id}`)).data;
  assert.ok(app.requests_24h > 1 && app.last_request_at !== null);
});

test('the server may be killed: apps are served on, streams stay open', async () => {
  const stream = rawClient(portOf(gateway));
  stream.socket.write(`GET /open HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await stream.until((text) => text.includes('open'));
  await server.end('SIGKILL');
  assert.equal(await status(), 200);
  await startServer();
  assert.equal(await status(), 200);
  await client.call('POST', '/bots/stop', { bot_id: botId });
  await becomes(503);
  assert.ok(!stream.socket.destroyed);
  stream.socket.destroy();
  await client.call('POST', '/bots/start', { bot_id: botId });
  await becomes(200);
});

test('the gateway may be killed: the next one serves at once', async () => {
  const stream = rawClient(portOf(gateway));
  stream.socket.write(`GET /open HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await stream.until((text) => text.includes('open'));
  await gateway.end('SIGKILL');
  await stream.closed;
  gateway = await startGateway();
  assert.equal(await status(), 200);
});

test('bodies go through in flat memory', async () => {
  const bytes = Number(process.env.GATEWAY_TEST_MB ?? 256) * 1024 * 1024;
  const resident = () =>
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;
  const beforeMb = resident();
  const up = request({ port: portOf(gateway), host: '127.0.0.1', method: 'PUT', headers: { host } });
  const [[answer]] = await Promise.all([once(up, 'response'), pipeline(Readable.from(pieces(bytes)), up)]);
  assert.equal(await new Response(Readable.toWeb(answer) as ReadableStream).text(), String(bytes));
  const down = request({ port: portOf(gateway), host: '127.0.0.1', path: `/bytes/${bytes}`, headers: { host } }).end();
  const [coming] = (await once(down, 'response')) as [IncomingMessage];
  assert.equal(await countBytes(coming), bytes);
  const grown = resident() - beforeMb;
  console.log(`resident: ${beforeMb.toFixed(0)} MB before, ${grown.toFixed(0)} MB more at most`);
  assert.ok(grown < 128, `${grown} MB`);
});

test('a second one beside it is refused, and one without a port is told so', async () => {
  await assert.rejects(startGateway(), /did not start/);
  await assert.rejects(serve({ ...settings, BOTEL_GATEWAY_PORT: 'off' }, { role: 'gateway' }), /did not start/);
});
