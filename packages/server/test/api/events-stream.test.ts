// GET /events/stream
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { type BotEventData, streamEvents } from '@botel/contract/bot-events';
import { BotelClient } from '@botel/contract/client';
import { readEvents, type ServerEvent } from '@botel/contract/events';
import { adminEmail, adminPassword, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, offlineBot, onlineBot } from './bot-states.ts';
import { send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, server } = fixture;

/** A stream that is read in the background; every event is checked against the contract. */
interface Reader {
  response: Response;
  events: ServerEvent[];
  /** What was told of a bot, as `bot.status online` or `event bot.online`. */
  told(botId: string): string[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  stop(): void;
}

async function open(t: TestContext, who = client, headers: Record<string, string> = {}): Promise<Reader> {
  const abort = new AbortController();
  t.after(() => abort.abort());
  const response = await who.fetch('GET', '/events/stream', { headers, signal: abort.signal });
  assert.equal(response.status, 200);
  const events: ServerEvent[] = [];
  const reading = (async () => {
    for await (const event of readEvents(response.body!)) {
      streamEvents[event.event as keyof typeof streamEvents].parse(event.data);
      assert.equal(event.id, event.event === 'event' ? String((event.data as BotEventData).id) : null);
      events.push(event);
    }
  })();
  reading.catch(() => undefined);
  const told = (botId: string) =>
    events.flatMap(({ event, data }) => {
      const { bot_id: id, type, status, reason } = data as Record<string, string>;
      return id === botId ? [`${event} ${type ?? status ?? reason ?? ''}`.trim()] : [];
    });
  return { response, events, told, ended: reading, stop: () => abort.abort() };
}

describe('200', () => {
  test('the status of every bot first, then what happens to any of them', async (t) => {
    const [resting, running] = [await offlineBot(fixture), await onlineBot(fixture)];
    const reader = await open(t);
    const { headers } = reader.response;
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(headers.get('cache-control'), 'no-cache, no-transform');
    await until(async () => reader.told(running.id).length > 0 && reader.told(resting.id).length > 0);
    assert.deepEqual(reader.told(resting.id), ['bot.status offline']);
    assert.deepEqual(reader.told(running.id), ['bot.status online']);

    await ended(fixture, running.id, 7);
    await until(async () => reader.told(running.id).includes('bot.status offline'));
    const told = reader.told(running.id).slice(1, 4);
    assert.deepEqual(told, ['event bot.crashed', 'bot.exit crashed', 'bot.status offline']);
    await client.lifecycle('stop', running.id);

    const fresh = await offlineBot(fixture);
    await until(async () => reader.told(fresh.id).length === 2);
    assert.deepEqual(reader.told(fresh.id), ['event bot.created', 'bot.status offline']);
    await client.deleteBot(fresh.id);
    await until(async () => reader.told(fresh.id).at(-1) === 'event bot.deleted');
  });

  test('numbers of bots that run, when there are new ones', async (t) => {
    const { id } = await onlineBot(fixture);
    const reader = await open(t);
    await server.runTask('collect-usage');
    const isUsage = ({ event, data }: ServerEvent) =>
      event === 'bot.usage' && (data as { bot_id: string }).bot_id === id;
    const usage = await until(async () => reader.events.find(isUsage), 15_000);
    assert.equal((usage.data as { memory_mb: number }).memory_mb, 20);
  });

  test('Last-Event-ID resumes events without a loss or a repetition', async (t) => {
    const { id } = await offlineBot(fixture);
    const first = await open(t);
    await client.call('POST', '/bots/update', { bot_id: id, name: 'first' });
    const last = await until(async () => first.events.findLast(({ event }) => event === 'event'));
    first.stop();
    for (const name of ['second', 'third']) await client.call('POST', '/bots/update', { bot_id: id, name });
    const again = await open(t, client, { 'Last-Event-ID': last.id ?? '' });
    const messages = () =>
      again.events.flatMap(({ event, data }) => (event === 'event' ? [(data as BotEventData).message] : []));
    await until(async () => messages().length >= 2);
    await client.call('POST', '/bots/update', { bot_id: id, name: 'fourth' });
    await until(async () => messages().length >= 3);
    const updated = (name: string) => `Bot "${name}" was updated`;
    assert.deepEqual(messages(), [updated('first'), updated('second'), updated('third')]);
  });

  test('NDJSON, where it is asked for', async (t) => {
    const { id } = await offlineBot(fixture);
    const abort = new AbortController();
    t.after(() => abort.abort());
    const headers = { Accept: 'application/x-ndjson' };
    const response = await client.fetch('GET', '/events/stream', { headers, signal: abort.signal });
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    let text = '';
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString();
      if (text.includes(id) && text.endsWith('\n')) break;
    }
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ServerEvent);
    assert.ok(lines.some(({ event, data }) => event === 'bot.status' && (data as { bot_id: string }).bot_id === id));
  });

  test('nothing of the bots of others', async (t) => {
    const reader = await open(t, stranger);
    const foreign = await onlineBot(fixture);
    const own = await stranger.createBot({ name: 'own', language: 'go', memory: 128, startup_command: './x' });
    await until(async () => reader.told(own.id).includes('bot.status offline'));
    assert.deepEqual(reader.told(foreign.id), []);
  });
});

describe('the end of a stream', () => {
  test('comes when the session ends', async (t) => {
    const other = new BotelClient(fixture.url);
    await other.login(adminEmail, adminPassword);
    const reader = await open(t, other);
    assert.equal((await send(other, 'POST /auth/logout', {})).status, 200);
    await reader.ended;
    assert.deepEqual(reader.events.at(-1)?.data, { reason: 'unauthorized' });
  });

  test('comes when the server stops', async (t) => {
    const own = await startFixture();
    const reader = await open(t, own.client);
    await own[Symbol.asyncDispose]();
    await reader.ended;
    assert.deepEqual(reader.events.at(-1)?.data, { reason: 'server_stopping' });
  });
});

describe('429', () => {
  test('ten streams per user, whatever they carry', async (t) => {
    const { id } = await stranger.createBot({ name: 'many', language: 'go', memory: 128, startup_command: './x' });
    const abort = new AbortController();
    t.after(() => abort.abort());
    await until(async () => (await send(stranger, 'GET /usage')).status === 200);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const path = count % 2 === 0 ? '/events/stream' : `/bots/${id}/logs/stream`;
      statuses.push((await stranger.fetch('GET', path, { signal: abort.signal })).status);
    }
    assert.equal(statuses.at(-1), 429);
    assert.ok(statuses.filter((status) => status === 200).length <= 10);
  });
});
