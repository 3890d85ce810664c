// The collector on a real store and a fake machine, with a test clock.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ContainerUsage } from '../engine/engine.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { TextCipher } from '../../core/lib/text-cipher.ts';
import { AccountStore } from '../../core/store/accounts.ts';
import { BotStore } from '../../core/store/bots.ts';
import { ObservationStore } from '../../core/store/observations.ts';
import { Database } from '../../core/store/database.ts';
import { EventStore } from '../../core/store/events.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';
import { UsageCache } from '../../core/store/usage-cache.ts';
import { tenMinutesMs, UsageStore } from '../../core/store/usage.ts';
import { aBot } from '../../../test/support/sample-bot.ts';
import { collectUsage } from './collect-usage.ts';
import { DiskLevels } from './disk-levels.ts';

const id = aBot().id;
const start = Date.UTC(2026, 0, 1);
const resting: ContainerUsage = {
  cpuMicros: 0,
  memoryBytes: 1000,
  memoryPeakBytes: 2000,
  pids: 2,
  netRxBytes: 0,
  netTxBytes: 0,
};

/**
 * One bot of 256 MB (half a vCPU) that has been running since `startedAt`; `used` is the reported
 * usage of its container.
 */
async function setUp(t: TestContext, startedAt = start) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-usage-'));
  const database = await Database.open(directory, 'OFF');
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  await insertOwner(database);
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  const observations = new ObservationStore(database, bots.changed);
  await bots.insert({ ...aBot(), environment: {} });
  await observations.record(id, { run: 1, runState: 'running', runKind: 'bot', containerId: 'c', startedAt });
  const world = { used: resting as ContainerUsage | null, diskBytes: 5000, scans: 0 };
  const [clock, usage, usageCache] = [new ManualClock(start), new UsageStore(database), new UsageCache()];
  const files = {
    async used() {
      world.scans++;
      clock.advance(1000);
      return { bytes: world.diskBytes, files: 3 };
    },
  };
  const engine = { usage: async () => world.used };
  const events = new EventStore(database);
  const levels = new DiskLevels({ bots, events, clock });
  const [collect, disks] = collectUsage({ engine, files, bots, usage, usageCache, levels, clock });
  assert.ok(collect && disks);
  /** Samples `ms` later, with this usage of the container. */
  const look = async (ms: number, used: Partial<ContainerUsage> | null) => {
    clock.advance(ms);
    world.used = used && { ...resting, ...used };
    await collect.run();
  };
  return {
    bots,
    observations,
    accounts: new AccountStore(database),
    events,
    usage,
    usageCache,
    clock,
    world,
    look,
    disks,
  };
}

test('a minute is stored once it is over; the newest look is known at once', async (t) => {
  const { usage, usageCache, look, clock } = await setUp(t);
  await look(10_000, { cpuMicros: 2_500_000, netRxBytes: 100, netTxBytes: 10 });
  const sample = { at: start + 10_000, run: 1, cpuPercent: 50, memoryBytes: 1000, memoryPeakBytes: 2000, pids: 2 };
  assert.deepEqual(usageCache.sample(id, 1), { ...sample, netRxBytes: 100, netTxBytes: 10 });
  assert.equal(usageCache.sample(id, 2), null, 'another run');
  await look(20_000, { cpuMicros: 3_500_000, memoryBytes: 3000, netRxBytes: 150, netTxBytes: 10, pids: 9 });
  assert.deepEqual(await usage.points(id, start, 60_000, clock.now() + 1), []);
  await look(30_000, { cpuMicros: 3_500_000, netRxBytes: 150 });
  const point = { index: 0, cpuPercent: 30, memoryBytes: 3000, diskBytes: null, pids: 9 };
  assert.deepEqual(await usage.points(id, start, 60_000, start + 60_000), [
    { ...point, netRxBytes: 150, netTxBytes: 10 },
  ]);
});

test('a run that was not watched from its beginning has no processor time and no traffic at the first look', async (t) => {
  const { usageCache, look } = await setUp(t, start - 3_600_000);
  await look(10_000, { cpuMicros: 9_000_000_000, netRxBytes: 1e9 });
  assert.deepEqual([usageCache.sample(id, 1)?.cpuPercent, usageCache.sample(id, 1)?.netRxBytes], [null, 1e9]);
  await look(10_000, { cpuMicros: 9_000_500_000, netRxBytes: 1e9 });
  assert.equal(usageCache.sample(id, 1)?.cpuPercent, 10);
});

test('while a bot is offline there are no rows, and its last numbers are forgotten', async (t) => {
  const { observations, usage, usageCache, look } = await setUp(t);
  await look(10_000, {});
  await observations.record(id, { runState: 'ended' });
  for (let minute = 0; minute < 3; minute++) await look(60_000, null);
  assert.equal(usageCache.sample(id, 1), null);
  await observations.record(id, { run: 2, runState: 'running', startedAt: start + 190_000 });
  await look(10_000, { netRxBytes: 5 });
  await look(60_000, { netRxBytes: 8 });
  const points = await usage.points(id, start, 60_000, start + 600_000);
  assert.deepEqual(
    points.map(({ index, netRxBytes }) => [index, netRxBytes]),
    [
      [0, 0],
      [3, 5],
    ],
  );
});

test('a build is not the bot', async (t) => {
  const { observations, usageCache, look } = await setUp(t);
  await observations.record(id, { runKind: 'build' });
  await look(10_000, {});
  assert.equal(usageCache.sample(id, 1), null);
});

test('rows of minutes become rows of ten, and are forgotten in the end', async (t) => {
  const { usage } = await setUp(t);
  const span = { botId: id, run: 1, memoryBytes: 10, diskBytes: 7, netTxBytes: null, pids: 1 };
  for (let minute = 0; minute < 25; minute++) {
    const at = start + minute * 60_000;
    await usage.addMinute(at, [{ ...span, cpuPercent: minute, memoryBytes: 10 + minute, netRxBytes: 1 }]);
  }
  const whole = await usage.points(id, start, tenMinutesMs, start + 3 * tenMinutesMs);
  await usage.rollUp(start + 21 * 60_000);
  const minutes = await usage.points(id, start, 60_000, start + 3 * tenMinutesMs);
  assert.deepEqual(
    minutes.map(({ index, netRxBytes }) => [index, netRxBytes]),
    [
      [0, 10],
      [10, 10],
      [20, 1],
      [21, 1],
      [22, 1],
      [23, 1],
      [24, 1],
    ],
  );
  assert.deepEqual(await usage.points(id, start, tenMinutesMs, start + 3 * tenMinutesMs), whole);
  assert.deepEqual([whole[0]?.cpuPercent, whole[0]?.memoryBytes], [4.5, 19]);
  await usage.prune(start + tenMinutesMs);
  assert.equal((await usage.points(id, start, 60_000, start + 3 * tenMinutesMs)).length, 6);
});

test('rows of a bot that is gone are not stored', async (t) => {
  const { usage } = await setUp(t);
  const rest = { diskBytes: null, netRxBytes: null, netTxBytes: null, pids: null };
  await usage.addMinute(start, [{ botId: 'gone', run: 1, cpuPercent: 1, memoryBytes: 1, ...rest }]);
  assert.deepEqual(await usage.points('gone', start, 60_000, start + 60_000), []);
});

test('files are counted at most once a minute, and not while an expensive count is paid off', async (t) => {
  const { usageCache, clock, world, disks } = await setUp(t);
  await disks.run();
  assert.deepEqual(usageCache.disk(id), { bytes: 5000, files: 3, at: start + 1000 });
  clock.advance(49_000);
  await disks.run();
  assert.equal(world.scans, 1, 'it took a second: fifty seconds of rest');
  clock.advance(5_000);
  await disks.run();
  assert.equal(world.scans, 1, 'the count is fresh');
  clock.advance(10_000);
  world.diskBytes = 6000;
  await disks.run();
  assert.deepEqual([world.scans, usageCache.disk(id)?.bytes], [2, 6000]);
});

test('an owner hears once that the disk gets full, also from the next process, and again after it had room', async (t) => {
  const { disks, clock, world, bots, events } = await setUp(t);
  const told = async () => (await events.newest({ ownerId: 'owner' }, null, 10)).map(({ type }) => type).reverse();
  const measure = async (part: number, task = disks) => {
    // The plan has 1 MB.
    world.diskBytes = Math.round(1024 * 1024 * part);
    clock.advance(600_000);
    await task.run();
  };
  await measure(0.79);
  assert.deepEqual(await told(), []);
  await measure(0.8);
  await measure(0.9);
  assert.deepEqual(await told(), ['disk.warning']);
  await measure(1);
  await measure(0.9);
  assert.deepEqual(await told(), ['disk.warning', 'disk.full']);
  const next = new DiskLevels({ bots, events, clock });
  await next.note(id, { bytes: 1024 * 1024, files: 1 });
  assert.deepEqual(await told(), ['disk.warning', 'disk.full']);
  await measure(0.1);
  await measure(2);
  assert.deepEqual(await told(), ['disk.warning', 'disk.full', 'disk.full']);
  const [{ message, detail } = {}] = await events.newest({ ownerId: 'owner' }, null, 1);
  assert.match(message ?? '', / uses 2 MB of its 1 MB of disk$/);
  assert.deepEqual(detail, { used_bytes: 2 * 1024 * 1024, used_files: 3, limit_bytes: 1024 * 1024, limit_files: 4096 });
});
