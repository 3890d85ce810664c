// GET /bots/:id/logs/stream
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { BotelClient } from '@botel/contract/client';
import type { ServerEvent } from '@botel/contract/events';
import { readEvents } from '@botel/contract/events';
import { logEvents } from '@botel/contract/logs';
import { adminEmail, adminPassword, type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';

let fixture: Fixture;

before(async () => {
  fixture = await startFixture();
});

after(() => fixture[Symbol.asyncDispose]());

/** A stream that is read in the background; every event is checked against the contract. */
interface Reader {
  response: Response;
  events: ServerEvent[];
  /** Texts of `log` events so far. */
  texts(): string[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  stop(): void;
}

async function open(
  t: TestContext,
  botId: string,
  query = '',
  { client = fixture.client, headers = {} }: { client?: BotelClient; headers?: Record<string, string> } = {},
): Promise<Reader> {
  const abort = new AbortController();
  t.after(() => abort.abort());
  const response = await client.fetch('GET', `/bots/${botId}/logs/stream?${query}`, { headers, signal: abort.signal });
  assert.equal(response.status, 200);
  const events: ServerEvent[] = [];
  const ended = (async () => {
    for await (const event of readEvents(response.body!)) {
      const schema = logEvents[event.event as keyof typeof logEvents];
      schema.parse(event.data);
      assert.equal(event.id, event.event === 'log' ? String((event.data as { seq: number }).seq) : null);
      events.push(event);
    }
  })();
  ended.catch(() => undefined);
  const texts = () => events.filter(({ event }) => event === 'log').map(({ data }) => (data as { text: string }).text);
  return { response, events, texts, ended, stop: () => abort.abort() };
}

async function startedBot(command = 'graceful'): Promise<string> {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128, startup_command: command });
  await fixture.client.lifecycle('start', id);
  await until(async () => (await fixture.client.bot(id)).status === 'online');
  return id;
}

async function removeBot(id: string): Promise<void> {
  await fixture.client.deleteBot(id, true);
  await fixture.server.settle();
}

function kindsOf(reader: Reader): string[] {
  return reader.events.map(({ event }) => event);
}

describe('200', () => {
  test('server-sent events: headers, retry, status first, the tail, then lines as they come', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    for (let index = 1; index <= 5; index++) fixture.machine.write(id, `early ${index}`);
    await until(async () => (await history(id)).some((text) => text === 'early 5'));
    const reader = await open(t, id, 'tail=2');
    const { headers } = reader.response;
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(headers.get('cache-control'), 'no-cache, no-transform');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.equal(headers.get('x-api-version'), '1');
    assert.ok(headers.get('x-request-id'));
    assert.equal(headers.get('content-encoding'), null);
    await until(async () => reader.texts().length === 2);
    assert.deepEqual(kindsOf(reader), ['status', 'log', 'log']);
    assert.equal((reader.events[0]?.data as { status: string } | undefined)?.status, 'online');
    assert.deepEqual(reader.texts(), ['early 4', 'early 5']);
    fixture.machine.write(id, 'late');
    await until(async () => reader.texts().length === 3);
    assert.deepEqual(reader.texts(), ['early 4', 'early 5', 'late']);
  });

  test('begins with the time to wait before reconnecting', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    const abort = new AbortController();
    const response = await fixture.client.fetch('GET', `/bots/${id}/logs/stream`, { signal: abort.signal });
    const { value } = await response.body!.getReader().read();
    assert.match(Buffer.from(value!).toString(), /^retry: 3000\n\n/);
    abort.abort();
  });

  test('resumes after Last-Event-ID, which wins over after, since and tail', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    const first = await open(t, id, 'tail=0');
    await until(async () => first.events.length > 0);
    for (let index = 1; index <= 50; index++) fixture.machine.write(id, `line ${index}`);
    await until(async () => first.texts().includes('line 20'));
    first.stop();
    const seen = first.events.filter(({ event }) => event === 'log');
    const lastEventId = seen.at(-1)?.id ?? '';
    const second = await open(t, id, 'after=1&tail=0', { headers: { 'Last-Event-ID': lastEventId } });
    await until(async () => [...first.texts(), ...second.texts()].includes('line 50'));
    const all = [...seen, ...second.events.filter(({ event }) => event === 'log')];
    const ids = all.map((event) => Number(event.id));
    assert.deepEqual(
      ids,
      ids.map((_, index) => ids[0]! + index),
    );
    const third = await open(t, id, `after=${ids.at(-3)}&tail=0`, { headers: { 'Last-Event-ID': 'none' } });
    await until(async () => third.texts().length === 2);
    assert.deepEqual(third.texts(), ['line 49', 'line 50']);
    const fourth = await open(t, id, 'since=1999-01-01T00:00:00Z&tail=0');
    await until(async () => fourth.texts().includes('line 50'));
    assert.ok(fourth.texts().length >= 50);
  });

  test('NDJSON: one event per line', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    const abort = new AbortController();
    t.after(() => abort.abort());
    const headers = { Accept: 'application/x-ndjson' };
    const response = await fixture.client.fetch('GET', `/bots/${id}/logs/stream?tail=0`, {
      headers,
      signal: abort.signal,
    });
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    fixture.machine.write(id, 'hello');
    let text = '';
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString();
      if (text.includes('hello')) break;
    }
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(Object.keys(events[0]), ['event', 'id', 'data']);
    assert.deepEqual([events[0].event, events[0].id], ['status', null]);
    assert.deepEqual(
      [events.at(-1).event, events.at(-1).id, events.at(-1).data.text],
      ['log', events.at(-1).data.seq, 'hello'],
    );
  });

  test('filters by run and stream', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    fixture.machine.write(id, 'first run');
    await until(async () => (await history(id)).includes('first run'));
    await fixture.client.lifecycle('restart', id);
    await until(async () => {
      const bot = await fixture.client.bot(id);
      return bot.status === 'online' && bot.run === 2;
    });
    const errors = await open(t, id, 'stream=stderr');
    const last = await open(t, id, 'run=last');
    const one = await open(t, id, 'run=1');
    fixture.machine.write(id, 'out');
    fixture.machine.write(id, 'err', 'stderr');
    await until(async () => errors.texts().length > 0 && last.texts().includes('err'));
    assert.deepEqual(errors.texts(), ['err']);
    assert.ok(!last.texts().includes('first run') && last.texts().includes('out'));
    assert.ok(one.texts().includes('first run') && !one.texts().includes('out'));
  });

  test('an offline bot: status, then lines, changes and the exit after the lines of its run', async (t) => {
    const { id } = await fixture.client.createBot({ ...goodBot, startup_command: 'exit 3 after 100' });
    t.after(() => removeBot(id));
    const reader = await open(t, id);
    await until(async () => reader.events.length === 1);
    assert.deepEqual(reader.events[0]?.data, {
      status: 'offline',
      status_reason: null,
      phase: null,
      next_restart_at: null,
    });
    await fixture.client.lifecycle('start', id);
    await until(async () => kindsOf(reader).includes('exit'));
    const statuses = () =>
      reader.events.filter(({ event }) => event === 'status').map(({ data }) => (data as { status: string }).status);
    await until(async () => statuses().at(-1) === 'offline' && statuses().length > 2);
    assert.deepEqual([...new Set(statuses())], ['offline', 'starting', 'online']);
    const exit = reader.events.find(({ event }) => event === 'exit')?.data as { code: number; run: number };
    assert.deepEqual([exit.code, exit.run], [3, 1]);
    const kinds = kindsOf(reader);
    const lineOfRun = reader.events.findIndex(({ data }) => (data as { text?: string }).text === 'started');
    assert.ok(lineOfRun > 0 && lineOfRun < kinds.indexOf('exit'));
  });

  test('ends when the bot is deleted', async (t) => {
    const id = await startedBot();
    const reader = await open(t, id);
    await until(async () => reader.events.length > 0);
    await removeBot(id);
    await reader.ended;
    assert.deepEqual(reader.events.at(-1), { event: 'end', id: null, data: { reason: 'deleted' } });
  });

  test('ends when the session ends', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    const { token } = await fixture.client
      .call<{ token: string }>('POST', '/auth/login', {
        email: adminEmail,
        password: adminPassword,
      })
      .then(({ data }) => data);
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${fixture.url}/bots/${id}/logs/stream`, { headers });
    const events: ServerEvent[] = [];
    const reading = (async () => {
      for await (const event of readEvents(response.body!)) events.push(event);
    })();
    await fetch(`${fixture.url}/auth/logout`, { method: 'POST', headers });
    await reading;
    assert.deepEqual(events.at(-1)?.data, { reason: 'unauthorized' });
  });

  test('ends when the server stops', async (t) => {
    const other = await startFixture();
    const { id } = await other.client.createBot(goodBot);
    const reader = await open(t, id, '', { client: other.client });
    await until(async () => reader.events.length > 0);
    await other[Symbol.asyncDispose]();
    await reader.ended;
    assert.deepEqual(reader.events.at(-1)?.data, { reason: 'server_stopping' });
  });

  test('a client that does not read holds up neither others nor the bot, and loses nothing', async (t) => {
    const id = await startedBot();
    t.after(() => removeBot(id));
    const { port } = new URL(fixture.url);
    const stalled = connect(Number(port), '127.0.0.1');
    t.after(() => stalled.destroy());
    stalled.write(
      `GET /bots/${id}/logs/stream?tail=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fixture.token}\r\n\r\n`,
    );
    await once(stalled, 'readable');
    const lively = await open(t, id, 'tail=0');
    await until(async () => lively.events.length > 0);
    const text = 'x'.repeat(8000);
    const count = 2000;
    for (let index = 0; index < count; index++) {
      fixture.machine.write(id, `${index} ${text}`);
      // The fake engine writes at once; the server needs its turns.
      if (index % 100 === 99) await until(async () => lively.texts().length === index + 1);
    }
    const parts: string[] = [];
    stalled.setEncoding('utf8');
    for await (const part of stalled) {
      parts.push(part);
      if (
        parts
          .slice(-2)
          .join('')
          .includes(`"text":"${count - 1} `)
      )
        break;
    }
    const numbers = [...parts.join('').matchAll(/"text":"(\d+) x/g)].map((match) => Number(match[1]));
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_, index) => index),
    );
  });
});

test('400: each parameter is checked, before the stream begins', async () => {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  for (const [query, message] of [
    ['tail=5001', 'tail must be a whole number between 0 and 5000'],
    ['tail=x', 'tail must be a whole number between 0 and 5000'],
    ['after=x', 'after must be a whole number between 0 and 999999999999999'],
    ['since=x', 'since must be an ISO 8601 time'],
    ['run=x', 'run must be a whole number or last'],
    ['stream=x', 'stream must be one of: stdout, stderr, build, system'],
  ] as const) {
    await refuses(fixture.client, `${id}/logs/stream?${query}`, 400, message);
  }
});

test('401: without a token', async () => {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  await refuses(fixture.guest, `${id}/logs/stream`, 401, 'Unauthorized');
});

test('404: unknown, malformed and foreign bots alike', async () => {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  await refuses(fixture.stranger, `${id}/logs/stream`, 404, 'Bot not found');
  await refuses(fixture.client, '00000000-0000-4000-8000-000000000000/logs/stream', 404, 'Bot not found');
  await refuses(fixture.client, 'x/logs/stream', 404, 'Bot not found');
});

test('429: no more than ten streams of a user at once; one that is closed makes room', async (t) => {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  await until(async () => (await probe(id)).ok);
  const readers = await Promise.all(Array.from({ length: 10 }, () => openPatiently(t, id)));
  await refuses(fixture.client, `${id}/logs/stream`, 429, 'Too many open streams: 10 of 10');
  readers[0]?.stop();
  await until(async () => (await probe(id)).ok);
});

/** Opens a stream and closes it again. */
async function probe(id: string): Promise<Response> {
  const abort = new AbortController();
  const response = await fixture.client.fetch('GET', `/bots/${id}/logs/stream`, { signal: abort.signal });
  abort.abort();
  return response;
}

/** Opens a stream as soon as those that were closed before are gone. */
function openPatiently(t: TestContext, id: string): Promise<Reader> {
  return until(async () => open(t, id).catch(() => null));
}

async function refuses(client: BotelClient, path: string, status: number, message: string): Promise<void> {
  const response = await client.fetch('GET', `/bots/${path}`);
  assert.equal(response.status, status);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(await response.json(), { success: false, error: message });
}

async function history(id: string): Promise<string[]> {
  const { data } = await fixture.client.call<{ lines: { text: string }[] }>('GET', `/bots/${id}/logs?limit=1000`);
  return data.lines.map((line) => line.text);
}
