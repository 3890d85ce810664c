// Requests to apps, from a visitor of the gateway to what their owner reads: lines, live and as a
// file, and numbers.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import {
  type AccessHistoryData,
  type AccessLineData,
  accessLine,
  type AppMetricsData,
} from '@botel/contract/app-traffic';
import type { AppData } from '@botel/contract/apps';
import { readEvents } from '@botel/contract/events';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ask, listen } from '../gateway/fixture.ts';
import { settled } from './bot-states.ts';
import { inDatabase } from './database.ts';

/** In place of the program: answers with the status that the path names. */
const program = createServer((incoming, response) => {
  incoming.resume().on('end', () => response.writeHead(Number(incoming.url?.slice(1, 4)) || 200).end('hello'));
});
let fixture: Fixture;
let port: number;
let programPort: number;

before(async () => {
  programPort = await listen(program);
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  port = Number(/:(\d+)$/.exec(fixture.server.appsAddress ?? '')?.[1]);
});
after(async () => {
  await fixture[Symbol.asyncDispose]();
  program.closeAllConnections();
  program.close();
});

/** Its bot is online before there is a route to it. */
async function servedApp(name: string): Promise<AppData> {
  const { client } = fixture;
  const { id } = await client.createBot({ ...goodBot, memory: 128, environment: { PORT: programPort } });
  await client.lifecycle('start', id);
  await settled(fixture, id, 'online');
  return (await client.call<AppData>('POST', '/apps/create', { bot_id: id, name })).data;
}

/** Until the gateway knows the route it answers 404, of which no app has a line. */
function proxied({ name }: AppData, path: string, method = 'GET', body?: string): Promise<number> {
  return until(async () => {
    const { status } = await ask(port, { headers: { host: `${name}.apps.localhost` }, path, method }, body);
    return (status !== 404 || path === '/404') && status;
  });
}

async function history({ id }: AppData, query = ''): Promise<AccessHistoryData> {
  return (await fixture.client.call<AccessHistoryData>('GET', `/apps/${id}/logs?${query}`)).data;
}

/** The app's lines, once there are so many. */
function lines(app: AppData, count: number): Promise<AccessLineData[]> {
  return until(async () => {
    const all = (await history(app)).lines.map((line) => accessLine.parse(line));
    return all.length >= count && all;
  });
}

test('each request is a line, without its query, with the run that answered', async () => {
  const app = await servedApp('each-a-line');
  assert.equal(await proxied(app, '/201?token=secret', 'POST', 'four'), 201);
  assert.equal(await proxied(app, '/500'), 500);
  const [first, second] = await lines(app, 2);
  assert.ok(first && second);
  assert.deepEqual(
    { ...first, ts: '', ms: 0 },
    {
      seq: 1,
      ts: '',
      run: 1,
      method: 'POST',
      path: '/201',
      status: 201,
      ms: 0,
      bytes_in: 4,
      bytes_out: 5,
      address: '127.0.0.1',
    },
  );
  assert.deepEqual([second.seq, second.path, second.status], [2, '/500', 500]);
  assert.ok(!JSON.stringify(await history(app)).includes('secret'));
});

test('an app whose bot is offline has lines too, of no run', async () => {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  const { data: app } = await fixture.client.call<AppData>('POST', '/apps/create', { bot_id: id, name: 'offline-one' });
  assert.equal(await proxied(app, '/'), 503);
  const [line] = await lines(app, 1);
  assert.deepEqual([line?.run, line?.status], [0, 503]);
});

test('history is searched and paged', async () => {
  const app = await servedApp('paged');
  for (const path of ['/a', '/b', '/404', '/a/b', '/c']) await proxied(app, path);
  await lines(app, 5);
  const paths = async (query: string) => (await history(app, query)).lines.map((line) => 'path' in line && line.path);
  assert.deepEqual(await paths('limit=2'), ['/a/b', '/c']);
  assert.deepEqual(await paths('limit=2&before=4'), ['/b', '/404']);
  assert.deepEqual(await paths('after=3'), ['/a/b', '/c']);
  assert.deepEqual(await paths('q=GET /404 404'), ['/404']);
  assert.deepEqual(await paths('q=%2FA'), ['/a', '/a/b']);
  assert.deepEqual(await paths('since=2099-01-01T00:00:00Z'), []);
  assert.equal((await history(app, 'limit=2')).next_seq, 4);
});

test('a live reader gets what is stored and what comes, and resumes after what it had', async () => {
  const app = await servedApp('live');
  await proxied(app, '/one');
  await lines(app, 1);
  const abort = new AbortController();
  const response = await fixture.client.fetch('GET', `/apps/${app.id}/logs/stream`, { signal: abort.signal });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = readEvents(response.body!)[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await events.next();
    return [value?.event, value?.id, (value?.data as AccessLineData | undefined)?.path];
  };
  assert.deepEqual(await next(), ['log', '1', '/one']);
  await proxied(app, '/two');
  assert.deepEqual(await next(), ['log', '2', '/two']);
  abort.abort();
  await proxied(app, '/three');
  await lines(app, 3);
  const headers = { 'Last-Event-ID': '1' };
  const again = new AbortController();
  const resumed = await fixture.client.fetch('GET', `/apps/${app.id}/logs/stream`, { headers, signal: again.signal });
  const seen: string[] = [];
  for await (const { id } of readEvents(resumed.body!)) {
    seen.push(id ?? '');
    if (seen.length === 2) break;
  }
  again.abort();
  assert.deepEqual(seen, ['2', '3']);
});

test('lines that another process stored are streamed too', async () => {
  const app = await servedApp('stored-elsewhere');
  const response = await fixture.client.fetch('GET', `/apps/${app.id}/logs/stream?tail=0`);
  const events = readEvents(response.body!)[Symbol.asyncIterator]();
  const first = events.next();
  const line = { run: 0, method: 'GET', path: '/x', status: 200, ms: 1, bytes_in: 0, bytes_out: 0, address: '::1' };
  const ts = '2026-01-01T00:00:00.000Z';
  await inDatabase(fixture, async (db) => {
    const body = JSON.stringify({ seq: 1, ts, ...line });
    const chunk = { first_seq: 1, last_seq: 1, first_at: Date.parse(ts), last_at: Date.parse(ts), bytes: body.length };
    const untyped = db as unknown as {
      insertInto(table: string): { values(row: object): { execute(): Promise<unknown> } };
    };
    await untyped
      .insertInto('access_chunks')
      .values({ app_id: app.id, ...chunk, body })
      .execute();
    await untyped.insertInto('access_heads').values({ app_id: app.id, last_seq: 1, bytes: body.length }).execute();
  });
  const { value } = await first;
  assert.equal((value?.data as AccessLineData | undefined)?.path, '/x');
  await response.body?.cancel().catch(() => undefined);
});

test('the lines as a file', async () => {
  const app = await servedApp('as-a-file');
  await proxied(app, '/page');
  await lines(app, 1);
  const text = await fixture.client.fetch('GET', `/apps/${app.id}/logs/download`);
  assert.match(text.headers.get('content-disposition') ?? '', /^attachment; filename="as-a-file-.*Z\.txt";/);
  assert.match(await text.text(), /^\S+Z 127\.0\.0\.1 GET \/page 200 \d+ ms 0 in 5 out\n$/);
  const json = await fixture.client.fetch('GET', `/apps/${app.id}/logs/download?format=ndjson`);
  assert.equal(accessLine.parse(JSON.parse(await json.text())).path, '/page');
});

test('numbers by the minute, and their sum in the app', async () => {
  const app = await servedApp('in-numbers');
  assert.deepEqual([app.last_request_at, app.requests_24h, app.errors_24h], [null, 0, 0]);
  for (const path of ['/', '/301', '/404', '/500', '/503']) await proxied(app, path);
  await lines(app, 5);
  const { data } = await fixture.client.call<AppData>('GET', `/apps/${app.id}`);
  assert.deepEqual([data.requests_24h, data.errors_24h], [5, 2]);
  assert.ok(data.last_request_at);
  const { data: curve } = await fixture.client.call<AppMetricsData>('GET', `/apps/${app.id}/metrics?range=1h`);
  assert.deepEqual([curve.step_seconds, curve.points.length], [60, 60]);
  const sum = (of: (point: AppMetricsData['points'][number]) => number | null) =>
    curve.points.reduce((total, point) => total + (of(point) ?? 0), 0);
  assert.deepEqual(
    [
      sum((point) => point.requests),
      sum((point) => point.status_2xx),
      sum((point) => point.status_3xx),
      sum((point) => point.status_4xx),
      sum((point) => point.status_5xx),
      sum((point) => point.bytes_out),
    ],
    [5, 1, 1, 1, 2, 25],
  );
  const [first] = curve.points;
  assert.deepEqual([first?.requests, first?.ms_avg], [null, null], 'the app was not there yet');
  await assert.rejects(fixture.client.call('GET', `/apps/${app.id}/metrics?range=30d&step_seconds=60`), {
    message: 'step_seconds must be a whole number between 6480 and 2592000',
  });
});

test('a stream ends with its app', async () => {
  const app = await servedApp('ended');
  const response = await fixture.client.fetch('GET', `/apps/${app.id}/logs/stream`);
  await fixture.client.call('POST', '/apps/delete', { app_id: app.id });
  assert.match(await response.text(), /event: end\ndata: \{"reason":"deleted"\}\n\n$/);
});

test('what is kept goes by age, and with the app', async () => {
  const app = await servedApp('aged');
  await proxied(app, '/old');
  await lines(app, 1);
  const count = () =>
    inDatabase(
      fixture,
      async (db) => (await db.selectFrom('app_minutes').where('app_id', '=', app.id).selectAll().execute()).length,
    );
  await inDatabase(fixture, (db) =>
    db.updateTable('app_minutes').set({ at: 60_000 }).where('app_id', '=', app.id).execute(),
  );
  await fixture.server.runTask('prune-access');
  assert.equal(await count(), 0);
  assert.equal((await history(app)).lines.length, 1);
  await proxied(app, '/new');
  await lines(app, 2);
  await fixture.client.call('POST', '/apps/delete', { app_id: app.id });
  assert.equal(await count(), 0);
  await assert.rejects(history(app), { code: 'app_not_found' });
});
