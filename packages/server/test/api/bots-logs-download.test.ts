// GET /bots/:id/logs/download
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { logDropped, logText } from '@botel/contract/logs';
import { systemClock } from '../../src/core/lib/clock.ts';
import { LogStore } from '../../src/core/logs/log-store.ts';
import { Database } from '../../src/core/store/database.ts';
import { LogChunks } from '../../src/core/store/log-chunks.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { assertRefused, botNotFound, invalidInput, send, unauthorized } from './request.ts';

let fixture: Fixture;
let botId: string;
const red = '\u001b[31mline 4\u001b[0m';

before(async () => {
  fixture = await startFixture();
  botId = await startedBot();
  for (const text of ['line 1', 'line 2', 'line 3', red, 'LINE 5'])
    fixture.machine.write(botId, text, text === 'line 3' ? 'stderr' : 'stdout');
  await until(async () => (await lines('')).some((line) => line.endsWith('LINE 5')));
});

after(() => fixture[Symbol.asyncDispose]());

async function startedBot(): Promise<string> {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128, startup_command: 'graceful' });
  await fixture.client.lifecycle('start', id);
  await until(async () => (await fixture.client.bot(id)).status === 'online');
  return id;
}

function download(query: string, id = botId, client = fixture.client): Promise<Response> {
  return client.fetch('GET', `/bots/${id}/logs/download?${query}`);
}

async function lines(query: string, id = botId): Promise<string[]> {
  const response = await download(query, id);
  assert.equal(response.status, 200);
  return (await response.text()).split('\n').slice(0, -1);
}

/** Texts of the program's own lines. */
async function texts(query: string): Promise<string[]> {
  return (await lines(query))
    .filter((line) => !line.includes(' system '))
    .map((line) => line.split(' ').slice(2).join(' '));
}

/** The store of a running server, opened a second time: for lines that no bot of a test can
 * write. */
async function withLogs<T>({ directory }: Fixture, work: (logs: LogStore) => Promise<T>): Promise<T> {
  const database = await Database.open(directory);
  const limits = { maxBytes: 2 ** 40, maxAgeDays: 36_500 };
  try {
    return await work(new LogStore({ table: new LogChunks(database), database, clock: systemClock, limits }));
  } finally {
    await database.close();
  }
}

const ts = '2026-01-31T12:00:00.000Z';
const linesPerMegabyte = 128;

/** A bot with about `megabytes` of stored lines. */
async function talkativeBot(on: Fixture, megabytes: number): Promise<string> {
  const { id } = await on.client.createBot({ ...goodBot, memory: 128 });
  const line = { ts, run: 1, stream: 'stdout' as const, text: 'x'.repeat(8000), partial: false };
  const lines = Array.from({ length: linesPerMegabyte }, () => line);
  await withLogs(on, async (logs) => {
    for (let count = 0; count < megabytes; count++) await logs.append(id, lines);
  });
  return id;
}

/** Asks for a download and takes nothing of it but its beginning. */
async function stalledDownload(on: Fixture, id: string): Promise<Socket> {
  const { hostname, port } = new URL(on.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /bots/${id}/logs/download HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${on.token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}

/** All that a socket still gives, until it is closed or broken. */
async function restOf(socket: Socket): Promise<string> {
  const parts: string[] = [];
  socket.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  socket.on('error', () => socket.destroy());
  await once(socket, 'close');
  return parts.join('');
}

describe('200', () => {
  test('a text file: time, stream and text as it was written, oldest first', async () => {
    const response = await download('');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const name = response.headers.get('content-disposition') ?? '';
    assert.match(
      name,
      /^attachment; filename="greeter-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.txt"; filename\*=UTF-8''greeter-/,
    );
    const text = await response.text();
    assert.match(text, /\n$/);
    for (const line of text.trimEnd().split('\n'))
      assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (stdout|stderr|system) ./);
    assert.match(text, /Z stderr line 3\n/);
    assert.ok(text.includes(`stdout ${red}\n`));
  });

  test('NDJSON: the records of the history', async () => {
    const response = await download('format=ndjson');
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    assert.match(response.headers.get('content-disposition') ?? '', /\.ndjson"/);
    const records = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const history = await send<{ lines: unknown[] }>(fixture.client, `GET /bots/${botId}/logs?limit=1000`);
    assert.deepEqual(records, history.body.data.lines);
    for (const record of records) logText.parse(record);
  });

  test('filters: stream, run, text, time', async () => {
    assert.deepEqual(await texts('stream=stderr'), ['line 3']);
    assert.deepEqual(await texts('stream=stdout&q=line%202'), ['line 2']);
    assert.deepEqual(await texts('q=line%205'), ['LINE 5']);
    assert.equal((await texts('run=last&q=line')).length, 5);
    assert.deepEqual(await lines('run=7'), []);
    assert.deepEqual(await lines('since=2999-01-01'), []);
    assert.deepEqual(await lines('until=1999-01-01'), []);
    assert.equal((await texts('since=1999-01-01&until=2999-01-01&q=line')).length, 5);
  });

  test('an empty log is an empty file', async () => {
    const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
    assert.equal(await (await download('', id)).text(), '');
  });

  test('lines that were never stored are marked', async () => {
    const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
    const lost = { ts, run: 1, dropped: true as const, reason: 'flood' as const };
    const entries = [12, null].map((count) => ({ ...lost, count }));
    await withLogs(fixture, (logs) => logs.append(id, entries));
    assert.deepEqual(await lines('', id), [
      '# 2026-01-31T12:00:00.000Z 12 lines not stored: flood',
      '# 2026-01-31T12:00:00.000Z some lines not stored: flood',
    ]);
    for (const line of await lines('format=ndjson', id)) logDropped.parse(JSON.parse(line));
  });

  test('a long log goes out whole', async () => {
    const id = await talkativeBot(fixture, 20);
    assert.equal((await lines('', id)).length, 20 * linesPerMegabyte);
    await fixture.client.deleteBot(id);
  });

  test('a client that does not read is waited for, and told what was deleted meanwhile', async () => {
    const megabytes = 48;
    const id = await talkativeBot(fixture, megabytes);
    const socket = await stalledDownload(fixture, id);
    await inDatabase(fixture, (db) => db.deleteFrom('log_chunks').where('bot_id', '=', id).execute());
    const text = await restOf(socket);
    const [, from, to] = /\n# lines (\d+) to (\d+) were deleted before they could be read\n/.exec(text) ?? [];
    assert.equal(Number(to), megabytes * linesPerMegabyte);
    assert.ok(Number(from) < (megabytes * linesPerMegabyte) / 2, `read ahead up to line ${from}`);
    assert.match(text, /\r\n0\r\n\r\n$/, 'the answer is complete');
    await fixture.client.deleteBot(id);
  });

  test('ends broken, not short, when the server stops', async () => {
    const other = await startFixture();
    const id = await talkativeBot(other, 48);
    const socket = await stalledDownload(other, id);
    const reading = once(socket, 'close');
    await other[Symbol.asyncDispose]();
    const text = await restOf(socket);
    await reading;
    assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
  });
});

test('400: each parameter is checked', async () => {
  for (const [query, field, fault] of [
    ['since=yesterday', 'since', 'must be an ISO 8601 time'],
    ['until=1', 'until', 'must be an ISO 8601 time'],
    ['run=first', 'run', 'must be a whole number or last'],
    ['stream=both', 'stream', 'must be one of: stdout, stderr, build, system'],
    ['format=pdf', 'format', 'must be one of: txt, ndjson'],
    ['q=', 'q', 'must be between 1 and 200 characters'],
    [`q=${'x'.repeat(201)}`, 'q', 'must be between 1 and 200 characters'],
  ] as const)
    assertRefused(await send(fixture.client, `GET /bots/${botId}/logs/download?${query}`), invalidInput(field, fault));
});

test('401: without a token', async () => {
  assertRefused(await send(fixture.guest, `GET /bots/${botId}/logs/download`), unauthorized);
});

test('404: unknown, malformed and foreign bots alike', async () => {
  for (const [client, id] of [
    [fixture.stranger, botId],
    [fixture.client, '00000000-0000-4000-8000-000000000000'],
    [fixture.client, 'x'],
  ] as const)
    assertRefused(await send(client, `GET /bots/${id}/logs/download`), botNotFound);
});

test('429: a download counts as an open stream until it is over', async (t) => {
  const id = await talkativeBot(fixture, 24);
  const sockets = await Promise.all(Array.from({ length: 10 }, () => stalledDownload(fixture, id)));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  assertRefused(await send(fixture.client, `GET /bots/${id}/logs/download`), {
    status: 429,
    code: 'too_many_streams',
    error: 'Too many open streams: 10 of 10',
  });
  sockets[0]?.destroy();
  await until(async () => (await download('q=none', id)).ok);
});
