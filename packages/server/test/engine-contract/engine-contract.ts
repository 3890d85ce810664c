// What every Engine must do, as tests that run against the fake and the real one, so that the fake
// stays true.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import type { EngineChange } from '../../src/agent/engine/engine.ts';
import { type EngineSubject, EngineSuite, hasCode } from './engine-suite.ts';
import { testThrottle, testStdin } from './engine-streams.ts';
import { until } from '../support/until.ts';

const unknownId = 'f'.repeat(64);

/** Registers the suite for the engine that `open` makes. */
export function describeEngine(name: string, open: () => Promise<EngineSubject>): void {
  describe(`engine: ${name}`, () => {
    const suite = new EngineSuite();
    before(() => suite.open(open));
    afterEach(() => suite.clear());
    after(() => suite.close());
    testCreate(suite);
    testStart(suite);
    testEnds(suite);
    testStop(suite);
    testStdin(suite);
    testThrottle(suite);
    testRemove(suite);
    testForeign(suite);
    testLooking(suite);
  });
}

function testCreate(suite: EngineSuite): void {
  test('a created container is seen with its labels and has not started', async () => {
    const botId = suite.bot();
    const { containerId, ...rest } = await suite.created({ program: 'serve' }, botId);
    assert.match(containerId, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      botId,
      generation: 5,
      run: 1,
      state: 'created',
      startedAt: null,
      finishedAt: null,
      exitCode: null,
      oomKilled: false,
      error: '',
      address: null,
    });
  });

  test('creating the same run again changes nothing, also in parallel', async () => {
    const botId = suite.bot();
    const spec = suite.spec(botId, { program: 'serve' });
    await Promise.all([1, 2, 3, 4].map(() => suite.engine.create(spec)));
    const { containerId } = await suite.seen(botId);
    await suite.engine.start(containerId);
    await suite.engine.create(spec);
    const after = await suite.seen(botId);
    assert.deepEqual([after.containerId, after.state], [containerId, 'running']);
    const own = (await suite.engine.list()).filter((each) => each.botId === botId);
    assert.equal(own.length, 1);
  });

  test('another run is refused while a container of the bot is there', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.created({ program: 'serve' }, botId);
    await assert.rejects(suite.engine.create(suite.spec(botId, { program: 'serve' }, 2)), hasCode('refused'));
    assert.equal((await suite.seen(botId)).containerId, containerId);
  });

  test('an image that is gone is told from other refusals', async () => {
    const botId = suite.bot();
    const spec = { ...suite.spec(botId, { program: 'serve' }), imageId: `sha256:${'0'.repeat(64)}` };
    await assert.rejects(suite.engine.create(spec), hasCode('image_missing'));
    assert.equal(await suite.engine.inspect(botId), null);
  });
}

function testStart(suite: EngineSuite): void {
  test('a started container runs; starting it again changes nothing', async () => {
    const botId = suite.bot();
    const first = await suite.started({ program: 'serve' }, botId);
    assert.equal(first.state, 'running');
    assert(first.startedAt !== null && first.startedAt > Date.UTC(2020, 0, 1));
    assert.deepEqual([first.finishedAt, first.exitCode], [null, null]);
    assert.equal(isIPv4(first.address ?? ''), true, 'it is reached by an address');
    await suite.engine.start(first.containerId);
    assert.deepEqual(await suite.seen(botId), first);
  });

  test('a container without the network of the bots has no address, nor has one that ended', async () => {
    const botId = suite.bot();
    await suite.engine.create({ ...suite.spec(botId, { program: 'serve' }), network: 'none' });
    const { containerId } = await suite.seen(botId);
    await suite.engine.start(containerId);
    const running = await suite.seen(botId);
    assert.deepEqual([running.state, running.address], ['running', null]);
    const other = suite.bot();
    await suite.started({ program: 'exit', code: 0 }, other);
    assert.equal((await suite.ended(other)).address, null);
  });

  test('an ended container is not run a second time', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.started({ program: 'exit', code: 3 }, botId);
    const end = await suite.ended(botId);
    await assert.rejects(suite.engine.start(containerId), hasCode('refused'));
    assert.deepEqual(await suite.seen(botId), end);
  });

  test('a failed start leaves the container created, with its reason', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.created({ program: 'unstartable' }, botId);
    await assert.rejects(suite.engine.start(containerId), hasCode('refused'));
    const seen = await suite.seen(botId);
    assert.deepEqual([seen.state, seen.startedAt, seen.exitCode], ['created', null, null]);
    assert.notEqual(seen.error, '');
    await suite.engine.remove(containerId);
    assert.equal(await suite.engine.inspect(botId), null);
  });

  test('a container that is gone cannot be started', async () => {
    await assert.rejects(suite.engine.start(unknownId), hasCode('refused'));
  });
}

function testEnds(suite: EngineSuite): void {
  for (const code of [0, 3]) {
    test(`the exit code ${code} is seen`, async () => {
      const botId = suite.bot();
      await suite.started({ program: 'exit', code }, botId);
      const end = await suite.ended(botId);
      assert.deepEqual([end.exitCode, end.oomKilled, end.error], [code, false, '']);
      assert(end.startedAt !== null && end.finishedAt !== null && end.finishedAt >= end.startedAt);
    });
  }

  test('a program that does not exist ends with 127', async () => {
    const botId = suite.bot();
    await suite.started({ program: 'missing' }, botId);
    assert.equal((await suite.ended(botId)).exitCode, 127);
  });

  test('death for memory is marked', async () => {
    const botId = suite.bot();
    await suite.started({ program: 'oom' }, botId);
    const end = await suite.ended(botId);
    assert.deepEqual([end.exitCode, end.oomKilled], [137, true]);
  });
}

function testStop(suite: EngineSuite): void {
  test('stop sends the signal and resolves at the end', async () => {
    for (const [intent, code] of [
      [{ program: 'serve' }, 143],
      [{ program: 'graceful' }, 0],
    ] as const) {
      const botId = suite.bot();
      const { containerId } = await suite.ready(intent, botId);
      await suite.engine.stop(containerId, 8000);
      const end = await suite.seen(botId);
      assert.deepEqual([end.state, end.exitCode], ['exited', code]);
    }
  });

  test('a deaf program is killed after its grace; a start sent meanwhile is lost', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.ready({ program: 'deaf' }, botId);
    const stopping = suite.engine.stop(containerId, 1000);
    await suite.engine.start(containerId);
    await stopping;
    const end = await suite.seen(botId);
    assert.deepEqual([end.state, end.exitCode, end.oomKilled], ['exited', 137, false]);
  });

  test('kill works at once, during a stop too', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.ready({ program: 'deaf' }, botId);
    const stopping = suite.engine.stop(containerId, 300_000);
    await suite.engine.kill(containerId);
    await stopping;
    assert.equal((await suite.ended(botId)).exitCode, 137);
  });

  test('stop and kill are fine with what does not run', async () => {
    const made = await suite.created({ program: 'serve' });
    const botId = suite.bot();
    await suite.started({ program: 'exit', code: 3 }, botId);
    const end = await suite.ended(botId);
    for (const containerId of [made.containerId, end.containerId, unknownId]) {
      await suite.engine.stop(containerId, 1000);
      await suite.engine.kill(containerId);
    }
    assert.deepEqual(await suite.seen(made.botId), made);
    assert.deepEqual(await suite.seen(botId), end);
  });
}

function testRemove(suite: EngineSuite): void {
  test('removing frees the name, for ended and created containers', async () => {
    const botId = suite.bot();
    const first = await suite.created({ program: 'exit', code: 3 }, botId);
    await suite.engine.remove(first.containerId);
    assert.equal(await suite.engine.inspect(botId), null);
    await suite.engine.create(suite.spec(botId, { program: 'exit', code: 3 }, 2));
    const second = await suite.seen(botId);
    assert.equal(second.run, 2);
    await suite.engine.start(second.containerId);
    await suite.ended(botId);
    await Promise.all([suite.engine.remove(second.containerId), suite.engine.remove(second.containerId)]);
    await suite.engine.create(suite.spec(botId, { program: 'serve' }, 3));
    assert.equal((await suite.seen(botId)).run, 3);
  });

  test('a running container is not removed; one that is gone is fine', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.started({ program: 'serve' }, botId);
    await assert.rejects(suite.engine.remove(containerId), hasCode('refused'));
    assert.equal((await suite.seen(botId)).state, 'running');
    await suite.engine.remove(unknownId);
  });
}

function testForeign(suite: EngineSuite): void {
  test("somebody else's container of the name is refused and stays untouched", async () => {
    const botId = randomUUID();
    await suite.subject.squat(botId);
    try {
      await assert.rejects(suite.engine.inspect(botId), hasCode('unmanaged'));
      await assert.rejects(suite.engine.create(suite.spec(botId, { program: 'serve' })), hasCode('unmanaged'));
      assert((await suite.engine.list()).every((each) => each.botId !== botId));
      assert.equal(await suite.subject.squatterRuns(botId), true);
    } finally {
      await suite.subject.removeSquatter(botId);
    }
  });
}

function testLooking(suite: EngineSuite): void {
  test('the engine tells of itself', async () => {
    const info = await suite.engine.info();
    assert.match(info.apiVersion, /^1\.\d+$/);
    assert(info.cpus >= 1 && info.memoryBytes > 0);
    assert(info.rootDirectory.startsWith('/'));
  });

  test('the list holds all own containers as inspect shows them', async () => {
    assert.deepEqual(await suite.engine.list(), []);
    const bots = [suite.bot(), suite.bot(), suite.bot()];
    await suite.created({ program: 'serve' }, bots[0]);
    await suite.started({ program: 'serve' }, bots[1]);
    await suite.started({ program: 'exit', code: 3 }, bots[2]);
    const end = await suite.ended(bots[2] ?? '');
    const listed = new Map((await suite.engine.list()).map((each) => [each.botId, each]));
    assert.equal(listed.size, 3);
    assert.deepEqual(listed.get(end.botId), end);
    assert.deepEqual([listed.get(bots[0] ?? '')?.state, listed.get(bots[1] ?? '')?.state], ['created', 'running']);
  });

  test('a container removed by hand is gone', async () => {
    const botId = suite.bot();
    await suite.started({ program: 'serve' }, botId);
    await suite.subject.removeByHand(botId);
    assert.equal(await suite.engine.inspect(botId), null);
  });

  test('wake-ups begin with connected, tell of changes and of memory, and end with the signal', async () => {
    const controller = new AbortController();
    const seen: EngineChange[] = [];
    const connected = Promise.withResolvers<void>();
    const reading = (async () => {
      for await (const change of suite.engine.changes(controller.signal)) {
        seen.push(change);
        if (change.kind === 'connected') connected.resolve();
      }
    })();
    reading.catch(connected.reject);
    await connected.promise;
    assert.equal(seen[0]?.kind, 'connected');
    const botId = suite.bot();
    const wakeUps = (kind: EngineChange['kind']) =>
      seen.filter((each) => each.kind === kind && each.kind !== 'connected' && each.botId === botId).length;
    const { containerId } = await suite.created({ program: 'oom' }, botId);
    await until(async () => wakeUps('state') >= 1);
    await suite.engine.start(containerId);
    await until(async () => wakeUps('oom') >= 1 && wakeUps('state') >= 3);
    const before = wakeUps('state');
    await suite.ended(botId);
    await suite.engine.remove(containerId);
    await until(async () => wakeUps('state') > before);
    controller.abort();
    await reading;
  });

  test('output is found in the log file', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.started({ program: 'missing' }, botId);
    await suite.ended(botId);
    const text = await readFile(await suite.engine.logFile(containerId), 'utf8');
    const line = JSON.parse(text.split('\n')[0] ?? '') as { log: string; stream: string; time: string };
    assert.match(line.log, /No such file or directory\n$/);
    assert.equal(line.stream, 'stderr');
    assert(Date.parse(line.time) > 0);
  });

  test('the memory peak of a running container is known', async () => {
    const { containerId } = await suite.started({ program: 'serve' });
    const peak = await suite.engine.memoryPeakBytes(containerId);
    // Kernels before 5.19 with control groups of version 2 do not count it.
    assert(peak === null || (peak > 0 && peak <= 32 * 1024 * 1024), `${peak} bytes`);
    assert.equal(await suite.engine.memoryPeakBytes(unknownId), null);
  });

  test('what a running container uses is known; of one that is gone, nothing', async () => {
    const { containerId } = await suite.started({ program: 'serve' });
    const usage = await suite.engine.usage(containerId);
    assert(usage && usage.cpuMicros >= 0 && (usage.pids ?? 1) >= 1);
    assert(usage.memoryBytes > 0 && usage.memoryBytes <= 32 * 1024 * 1024, `${usage.memoryBytes} bytes`);
    assert.equal(await suite.engine.usage(unknownId), null);
  });
}
