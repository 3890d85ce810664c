// Requests over the limits of an app are in what its owner reads, apart from those that were
// served; and how long those took.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessHistoryData, accessLine, type AppMetricsData } from '@botel/contract/app-traffic';
import type { AppData } from '@botel/contract/apps';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ask, rawClient, startBackend } from '../gateway/fixture.ts';
import { settled } from './bot-states.ts';
import { inDatabase } from './database.ts';

test('who is over a limit has a line and counts, and spoils no times', async () => {
  await using program = await startBackend(({ url }, response) => {
    if (url === '/held') response.write('begun');
    else response.end('hello');
  });
  await using fixture = await startFixture({ BOTEL_GATEWAY_APP_REQUESTS: '4', BOTEL_GATEWAY_VISITOR_SHARE: '50' });
  const port = Number(/:(\d+)$/.exec(fixture.server.appsAddress ?? '')?.[1]);
  const { client } = fixture;
  const { id: botId } = await client.createBot({ ...goodBot, environment: { PORT: program.port } });
  await client.lifecycle('start', botId);
  await settled(fixture, botId, 'online');
  const { id } = (await client.call<AppData>('POST', '/apps/create', { bot_id: botId, name: 'limited' })).data;
  const headers = { host: 'limited.apps.localhost' };
  await until(async () => (await ask(port, { headers })).status === 200);

  const held = [rawClient(port), rawClient(port)];
  for (const { socket, until: untilText } of held) {
    socket.write('GET /held HTTP/1.1\r\nHost: limited.apps.localhost\r\n\r\n');
    await untilText((text) => text.includes('begun'));
  }
  const refused = await ask(port, { headers, path: '/over' });
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [429, 'visitor_over_limit']);
  for (const { socket, closed } of held) {
    socket.destroy();
    await closed;
  }

  const lines = await until(async () => {
    const { data } = await client.call<AccessHistoryData>('GET', `/apps/${id}/logs`);
    const served = data.lines.map((line) => accessLine.parse(line));
    return served.length === 4 && served;
  });
  const over = lines.find(({ path }) => path === '/over');
  assert.deepEqual([over?.status, over?.run, over?.address], [429, 0, '127.0.0.1']);

  // As if they had taken so long: no test should have to.
  await inDatabase(fixture, (db) =>
    db
      .updateTable('app_minutes')
      .set({ timed: 100, ms_sum: 10_000, ms_max: 900, within_5: 50, within_10: 40, within_1000: 10 })
      .where('app_id', '=', id)
      .where('timed', '>', 0)
      .execute(),
  );
  const { data: app } = await client.call<AppData>('GET', `/apps/${id}`);
  assert.deepEqual([app.requests_24h, app.errors_24h, app.refused_24h], [4, 0, 1]);
  assert.ok(app.ms_p50_24h !== null && app.ms_p50_24h <= 5, String(app.ms_p50_24h));
  assert.ok(app.ms_p95_24h !== null && app.ms_p95_24h > 700 && app.ms_p95_24h < 900, String(app.ms_p95_24h));
  const { points } = (await client.call<AppMetricsData>('GET', `/apps/${id}/metrics?range=1h`)).data;
  const point = points.findLast(({ ms_p95: p95 }) => p95 !== null);
  assert.deepEqual(
    [point?.ms_p50, point?.ms_p95, point?.ms_avg, point?.ms_max],
    [app.ms_p50_24h, app.ms_p95_24h, 100, 900],
  );
  assert.equal(
    points.reduce((sum, { refused: count }) => sum + (count ?? 0), 0),
    1,
  );
  const quiet = points.at(-30);
  assert.deepEqual([quiet?.requests, quiet?.ms_p95], [null, null]);
});
