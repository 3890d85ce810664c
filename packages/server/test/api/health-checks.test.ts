// A bot whose app has a health path is `starting` until its program answers there, over the whole
// server; the program is a server of this test.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { EventListData } from '@botel/contract/bot-events';
import type { LogHistoryData } from '@botel/contract/logs';
import { systemClock } from '../../src/core/lib/clock.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { settled } from './bot-states.ts';

let ahead = 0;
const clock = { now: () => Date.now() + ahead, after: systemClock.after };
const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' }, undefined, { clock });
const { client, machine } = fixture;
let status = 503;
const asked: string[] = [];
const program = createServer(({ url, headers }, response) => {
  asked.push(`${headers.host}${url}`);
  response.writeHead(status).end();
});
await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
after(async () => {
  program.closeAllConnections();
  program.close();
  await fixture[Symbol.asyncDispose]();
});

async function servedBot(name: string, change: Record<string, unknown> = {}): Promise<string> {
  const { port } = program.address() as AddressInfo;
  const { id } = await client.createBot({ ...goodBot, memory: 128, environment: { PORT: port }, ...change });
  await client.call('POST', '/apps/create', { bot_id: id, name, health_path: '/up?deep=1' });
  return id;
}

async function texts(id: string): Promise<string[]> {
  const { data } = await client.call<LogHistoryData>('GET', `/bots/${id}/logs?stream=system`);
  return data.lines.map((line) => ('text' in line ? line.text : ''));
}

async function wasOnline(id: string): Promise<boolean> {
  const { data } = await client.call<EventListData>('GET', `/bots/${id}/events?type=bot.online`);
  return data.events.length > 0;
}

/** Resolves once the program was asked `count` times more. */
async function askedAgain(count = 2): Promise<void> {
  const before = asked.length;
  await until(async () => asked.length >= before + count);
}

test('a bot is starting until its program answers well', async () => {
  status = 503;
  const id = await servedBot('ready-later');
  await client.lifecycle('start', id);
  await askedAgain();
  const checking = await client.bot(id);
  assert.deepEqual([checking.status, checking.phase, checking.run], ['starting', 'checking', 1]);
  assert.equal(await wasOnline(id), false);
  assert.equal(asked.at(-1), 'ready-later.apps.localhost/up?deep=1');
  status = 302;
  const online = await until(async () => {
    const bot = await client.bot(id);
    return bot.status === 'online' && bot;
  });
  assert.equal(online.phase, 'running');
  assert.equal(await wasOnline(id), true);
  assert.match((await texts(id)).join('\n'), /^GET \/up\?deep=1 answered with status 302 after \d+\.\d s$/m);
});

test('who never answers counts as online when its time is over, and its log says what was seen', async () => {
  status = 500;
  const id = await servedBot('ready-never');
  await client.lifecycle('start', id);
  await askedAgain();
  ahead += 61_000;
  const bot = await until(async () => {
    // Timers know nothing of the time that went by; a wake-up by the engine makes the bot be looked
    // at.
    machine.killProcess(id);
    const seen = await client.bot(id);
    return seen.status === 'online' && seen;
  });
  assert.equal(bot.phase, 'running');
  const text = 'GET /up?deep=1 did not answer with a status of 200 to 399 within 60 s, last: status 500. ';
  assert.ok((await texts(id)).some((line) => line.startsWith(text)));
});

test('a stop, and an end, while the program is asked', async () => {
  status = 500;
  const stopped = await servedBot('stopped-early');
  await client.lifecycle('start', stopped);
  await askedAgain();
  await client.lifecycle('stop', stopped);
  assert.equal((await settled(fixture, stopped, 'offline')).phase, null);
  const crashed = await servedBot('crashed-early', { startup_command: 'exit 3' });
  await client.lifecycle('start', crashed);
  const { last_exit: exit } = await settled(fixture, crashed, 'offline');
  assert.deepEqual([exit?.reason, exit?.code], ['crashed', 3]);
  assert.deepEqual([await wasOnline(stopped), await wasOnline(crashed)], [false, false]);
});

test('a bot that nobody can reach is not asked', async () => {
  const id = await servedBot('no-port', { environment: { PORT: 'none' } });
  await client.lifecycle('start', id);
  await settled(fixture, id, 'online');
  assert.ok((await texts(id)).includes('GET /up?deep=1 is not asked: PORT names no port'));
  const alone = await servedBot('no-network');
  await client.call('POST', '/bots/update', { bot_id: alone, network: 'none' });
  await client.lifecycle('start', alone);
  await settled(fixture, alone, 'online');
  assert.ok((await texts(alone)).includes('GET /up?deep=1 is not asked: the bot has no network'));
});
