// GET /bots/:id/stats, GET /bots/:id/metrics, GET /bots/metrics, and the numbers in GET /bots/:id.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { AllMetricsData, MetricsData, UsageNowData } from '@botel/contract/metrics';
import { startFixture } from '../support/fixture.ts';
import { ended, offlineBot, onlineBot } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { assertRefused, botNotFound, invalidInput, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, server, machine } = fixture;
const minuteMs = 60_000;

async function stats(id: string): Promise<UsageNowData> {
  const { status, body } = await send<UsageNowData>(client, `GET /bots/${id}/stats`);
  assert.equal(status, 200);
  return body.data;
}

async function metrics(id: string, query: string): Promise<MetricsData> {
  const { status, body } = await send<MetricsData>(client, `GET /bots/${id}/metrics?${query}`);
  assert.equal(status, 200);
  return body.data;
}

/** Stores what the bot used in the minute that began `minutes` before the present one. */
async function remember(id: string, minutes: number, change: { cpu_percent?: number; memory_bytes?: number } = {}) {
  const at = Math.floor(Date.now() / minuteMs) * minuteMs - minutes * minuteMs;
  const row = { cpu_percent: 10, memory_bytes: 1_048_576, disk_bytes: 5, net_rx_bytes: 2, net_tx_bytes: 1, pids: 4 };
  await inDatabase(fixture, (db) =>
    db
      .insertInto('usage_minutes')
      .values({ bot_id: id, at, span_ms: minuteMs, run: 1, ...row, ...change })
      .execute(),
  );
  return new Date(at).toISOString();
}

describe('GET /bots/:id/stats 200', () => {
  test('an offline bot: limits, and nothing live', async () => {
    const { id } = await offlineBot(fixture);
    const { at, ...rest } = await stats(id);
    assert.ok(Date.parse(at) <= Date.now());
    assert.deepEqual(rest, {
      cpu_percent: null,
      memory_mb: null,
      memory_limit_mb: 128,
      memory_peak_mb: null,
      disk_used_bytes: null,
      disk_limit_bytes: 10_240 * 1024 * 1024,
      net_rx_bytes: null,
      net_tx_bytes: null,
      pids: null,
      uptime_seconds: null,
    });
  });

  test('a running bot: what it uses, the same in the bot; nothing live once it has ended', async () => {
    const { id } = await onlineBot(fixture);
    const container = machine.containers().find((candidate) => candidate.botId === id);
    assert.ok(container);
    const mebibyte = 1024 * 1024;
    container.memoryPeakBytes = 90.26 * mebibyte;
    container.usage = { cpuMicros: 0, memoryBytes: 50.5 * mebibyte, pids: 11, netRxBytes: 7, netTxBytes: 8 };
    await server.runTask('measure-disks');
    await server.runTask('collect-usage');
    const { cpu_percent: cpu, at, uptime_seconds: uptime, ...rest } = await stats(id);
    assert.ok(cpu === 0 && uptime !== null && Date.parse(at) <= Date.now());
    assert.deepEqual(rest, {
      memory_mb: 50.5,
      memory_limit_mb: 128,
      memory_peak_mb: 90.3,
      disk_used_bytes: rest.disk_used_bytes,
      disk_limit_bytes: 10_240 * mebibyte,
      net_rx_bytes: 7,
      net_tx_bytes: 8,
      pids: 11,
    });
    assert.equal(typeof rest.disk_used_bytes, 'number');
    const bot = await client.bot(id);
    assert.deepEqual(bot.usage, { ...rest, cpu_percent: 0, at, uptime_seconds: bot.uptime_seconds });
    const files = { used_files: 0, limit_files: 10_240 * 64 };
    assert.deepEqual(bot.disk, { used_bytes: rest.disk_used_bytes, limit_bytes: rest.disk_limit_bytes, ...files });

    const after = await ended(fixture, id, 1);
    assert.equal(after.usage, null);
    const resting = await stats(id);
    assert.deepEqual([resting.memory_mb, resting.pids, resting.uptime_seconds], [null, null, null]);
    assert.equal(resting.disk_used_bytes, rest.disk_used_bytes, 'what is on the disk stays');
  });
});

describe('GET /bots/:id/metrics 200', () => {
  test('a point per step, null where the bot was offline', async () => {
    const { id } = await offlineBot(fixture);
    const at = [await remember(id, 30), await remember(id, 29, { cpu_percent: 30, memory_bytes: 2.5 * 1024 * 1024 })];
    const { points, step_seconds: step } = await metrics(id, 'range=1h');
    assert.deepEqual([points.length, step], [60, 60]);
    const rest = { disk_used_bytes: 5, net_rx_bytes: 2, net_tx_bytes: 1, pids: 4, restarts: 0 };
    assert.deepEqual(
      points.filter((point) => point.cpu_percent !== null),
      [
        { at: at[0], cpu_percent: 10, memory_mb: 1, ...rest },
        { at: at[1], cpu_percent: 30, memory_mb: 2.5, ...rest },
      ],
    );
    const gaps = points.filter((point) => point.cpu_percent === null);
    assert.equal(gaps.length, 58);
    for (const gap of gaps) assert.deepEqual([gap.memory_mb, gap.net_rx_bytes, gap.pids], [null, null, null]);
    points.reduce((before, point) => {
      assert.equal(Date.parse(point.at) - Date.parse(before.at), minuteMs);
      return point;
    });
  });

  test('longer steps have averages, highest values and sums; no range has more than 400 points', async () => {
    const { id } = await offlineBot(fixture);
    await remember(id, 600, { cpu_percent: 10, memory_bytes: 3 * 1024 * 1024 });
    await remember(id, 601, { cpu_percent: 20 });
    for (const range of ['24h', '7d', '30d']) {
      const { points } = await metrics(id, `range=${range}`);
      assert.ok(points.length <= 400 && points.length >= 280, `${range}: ${points.length}`);
      const known = points.filter((point) => point.cpu_percent !== null);
      assert.equal(
        known.reduce((sum, point) => sum + (point.net_rx_bytes ?? 0), 0),
        4,
      );
      assert.equal(Math.max(...known.map((point) => point.memory_mb ?? 0)), 3);
    }
    assert.equal((await metrics(id, 'range=6h&step_seconds=21600')).points.length, 1);
    assert.equal((await metrics(id, 'range=15m')).points.length, 15);
  });

  test('starts and ends, builds and backups, and the part of the time that the bot was online', async () => {
    const { id } = await offlineBot(fixture);
    const now = Date.now();
    await inDatabase(fixture, async (db) => {
      await db
        .updateTable('bots')
        .set({ created_at: now - 1000 * minuteMs })
        .where('id', '=', id)
        .execute();
      const run = { bot_id: id, kind: 'bot', generation: 1, automatic: 0, exit: '{}' };
      const times = (began: number, end: number) => ({
        began_at: now - began * minuteMs,
        started_at: now - began * minuteMs,
        ended_at: now - end * minuteMs,
      });
      await db
        .insertInto('runs')
        .values([
          { ...run, run: 1, ...times(500, 45), end_reason: 'crashed' },
          { ...run, run: 2, kind: 'build', ...times(44, 41), end_reason: 'exited' },
          { ...run, run: 3, automatic: 1, ...times(40, 25), end_reason: 'oom' },
          { ...run, run: 4, automatic: 1, ...times(20, 20), started_at: null, end_reason: 'start_failed' },
          { ...run, run: 5, kind: 'build', ...times(19, 18), end_reason: 'build_failed' },
        ])
        .execute();
      const { owner_id } = await db
        .selectFrom('bots')
        .select('owner_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const event = { bot_id: id, owner_id, actor: '{}', message: '', detail: '{}' };
      await db
        .insertInto('events')
        .values([
          { ...event, at: now - 90 * minuteMs, type: 'backup.completed' },
          { ...event, at: now - 30 * minuteMs, type: 'backup.completed' },
          { ...event, at: now - 15 * minuteMs, type: 'backup.restored' },
        ])
        .execute();
    });
    const { markers, points, uptime_percent: uptime } = await metrics(id, 'range=1h');
    const restarts = points.filter((point) => point.restarts > 0);
    assert.deepEqual(
      restarts.map((point) => [point.restarts, Math.floor((now - Date.parse(point.at)) / minuteMs)]),
      [
        [1, 40],
        [1, 20],
      ],
    );
    assert.deepEqual(
      markers.map(({ type }) => type),
      ['crashed', 'built', 'started', 'backup', 'oom', 'start_failed', 'build_failed', 'restored'],
    );
    assert.ok(Math.abs(uptime - 50) < 1, `${uptime} %`);
    assert.ok(Math.abs((await metrics(id, 'range=30d')).uptime_percent - 47) < 1, 'since the bot was created');
  });

  test('a bot that runs is online until now', async () => {
    const { id } = await onlineBot(fixture);
    const { markers, uptime_percent: uptime } = await metrics(id, 'range=1h');
    assert.deepEqual(
      markers.map(({ type }) => type),
      ['started'],
    );
    assert.ok(uptime > 0 && uptime <= 100);
  });
});

describe('GET /bots/metrics 200', () => {
  const all = async (as = client) => (await send<AllMetricsData>(as, 'GET /bots/metrics')).body.data;
  const curvesOf = ({ bots }: AllMetricsData, id: string) => bots.find((each) => each.bot_id === id);

  test('a short curve of each bot, null where nothing is known', async () => {
    const busy = await offlineBot(fixture);
    const at = await remember(busy.id, 3, { cpu_percent: 42 });
    await remember(busy.id, 40);
    const data = await all();
    const { cpu_percent: cpu = [], memory_mb: memory = [] } = curvesOf(data, busy.id) ?? {};
    assert.deepEqual([cpu.length, memory.length, data.step_seconds], [15, 15, 60]);
    const place = (Date.parse(at) - Date.parse(data.from)) / minuteMs;
    assert.deepEqual([cpu[place], memory[place]], [42, 1]);
    assert.equal(cpu.filter((value) => value !== null).length, 1);
    await client.deleteBot(busy.id);
    assert.equal(curvesOf(await all(), busy.id), undefined, 'nor of one that was deleted');
  });

  test('the part of the last day that each was online, as its own metrics tell it', async () => {
    const [old, running] = [await offlineBot(fixture), await onlineBot(fixture)];
    const now = Date.now();
    await inDatabase(fixture, async (db) => {
      const made = { created_at: now - 3000 * minuteMs };
      await db.updateTable('bots').set(made).where('id', '=', old.id).execute();
      const run = { bot_id: old.id, kind: 'bot', generation: 1, automatic: 0, exit: '{}', end_reason: 'exited' };
      const times = (start: number, end: number) => ({
        began_at: now - start * minuteMs,
        started_at: now - start * minuteMs,
        ended_at: now - end * minuteMs,
      });
      const runs = [
        { ...run, run: 1, ...times(2500, 2000) },
        { ...run, run: 2, ...times(1800, 1080) },
        { ...run, run: 3, kind: 'build', ...times(900, 800) },
        { ...run, run: 4, ...times(720, 360) },
      ];
      await db.insertInto('runs').values(runs).execute();
    });
    const data = await all();
    assert.equal(curvesOf(data, old.id)?.uptime_percent, 50);
    assert.equal((await metrics(old.id, 'range=24h')).uptime_percent, 50);
    const uptime = curvesOf(data, running.id)?.uptime_percent ?? 0;
    assert.ok(uptime > 0 && uptime <= 100, `${uptime} %`);
  });

  test('of nobody else', async () => {
    assert.deepEqual((await all(fixture.stranger)).bots, []);
  });
});

describe('400, 404', () => {
  test('range and step are checked', async () => {
    const { id } = await offlineBot(fixture);
    const refused = async (query: string, field: string, fault: string) =>
      assertRefused(await send(client, `GET /bots/${id}/metrics${query}`), invalidInput(field, fault), query);
    await refused('', 'range', 'is required');
    await refused('?range=2h', 'range', 'must be one of: 15m, 1h, 6h, 24h, 7d, 30d');
    await refused('?range=1h&step_seconds=59', 'step_seconds', 'must be a whole number between 60 and 3600');
    await refused('?range=1h&step_seconds=3601', 'step_seconds', 'must be a whole number between 60 and 3600');
    await refused('?range=24h&step_seconds=215', 'step_seconds', 'must be a whole number between 216 and 86400');
    for (const step of ['x', '', '-5', '1.5', '60&step_seconds=61'])
      assert.equal((await send(client, `GET /bots/${id}/metrics?range=1h&step_seconds=${step}`)).status, 400, step);
  });

  test('no such bot', async () => {
    for (const path of ['stats', 'metrics?range=1h'])
      assertRefused(await send(client, `GET /bots/00000000-0000-4000-8000-000000000000/${path}`), botNotFound);
  });
});
