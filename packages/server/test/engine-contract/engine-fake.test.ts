// The engine contract on the fake engine, and what only the fake can do: faults, outages, attaching
// anew.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { containerName } from '../../src/core/domain/bot.ts';
import type { Runtime } from '../../src/core/domain/runtime.ts';
import type { ContainerSpec, EngineChange } from '../../src/agent/engine/engine.ts';
import { EngineError } from '../../src/agent/engine/engine.ts';
import { FakeEngine } from '../../src/agent/engine/fake/fake-engine.ts';
import { type FakeFaults, noFaults, randomDeliveries } from '../../src/agent/engine/fake/fake-faults.ts';
import { FakeMachine } from '../../src/agent/engine/fake/fake-machine.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { systemIds } from '../../src/core/lib/ids.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { describeEngine } from './engine-contract.ts';
import type { EngineSubject, Intent } from './engine-suite.ts';

const words: Record<Intent['program'], string> = {
  exit: 'exit',
  serve: 'node bot.js',
  graceful: 'graceful',
  deaf: 'deaf',
  echo: 'echo',
  numb: 'numb',
  flood: 'flood',
  oom: 'oom',
  missing: 'missing-command',
  unstartable: 'start-error',
};

async function openFake(): Promise<EngineSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'botel-fake-'));
  const machine = new FakeMachine({ clock: systemClock, ids: systemIds, directory });
  const engine = new FakeEngine({ machine, installId: 'contract' });
  return {
    engine,
    imageId: (await engine.findImage({ language: 'nodejs', version: '24', packages: [] })) ?? '',
    argvOf: (intent) => [intent.program === 'exit' ? `exit ${intent.code}` : words[intent.program]],
    squat: async (botId) => void machine.squat(botId),
    squatterRuns: async (botId) => machine.byName(containerName(botId))?.state === 'running',
    removeSquatter: async (botId) => machine.removeByHand(botId),
    removeByHand: async (botId) => machine.removeByHand(botId),
    async close() {
      await engine.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

describeEngine('fake', openFake);

function stage(faults: Partial<FakeFaults> = {}) {
  const clock = new ManualClock();
  const machine = new FakeMachine({ clock, ids: systemIds, prepareMs: 5000 });
  const engine = new FakeEngine({ machine, installId: 'i', faults: { ...noFaults, ...faults } });
  return { clock, machine, engine };
}

function specOf(machine: FakeMachine, command: string): ContainerSpec {
  return {
    name: containerName('b'),
    botId: 'b',
    generation: 1,
    run: 1,
    imageId: machine.findImage('nodejs', '24') ?? '',
    uid: 100_001,
    argv: [command],
    environment: [],
    workingDirectory: '/home/bot',
    memoryBytes: 1024,
    cpuPeriodMicros: 1,
    cpuQuotaMicros: 1,
    pidsLimit: 1,
    openFilesLimit: 1,
    tmpBytes: 1,
    shmBytes: 1,
    mounts: [],
    stopSignal: 'SIGTERM',
    stopGraceSeconds: 10,
    network: 'internet',
    runtime: null,
    stdin: false,
  };
}

async function run(engine: FakeEngine, machine: FakeMachine, command: string): Promise<string> {
  await engine.create(specOf(machine, command));
  const containerId = machine.byName('bot_b')?.containerId ?? '';
  await engine.start(containerId);
  return containerId;
}

const cut = new EngineError('unavailable', 'cut');

describe('fake engine', () => {
  test('a fault before the effect prevents it, one after it only loses the reply', async () => {
    let broken: 'before' | 'after' | null = 'before';
    const { engine, machine } = stage({
      before: () => {
        if (broken === 'before') throw cut;
      },
      after: () => {
        if (broken === 'after') throw cut;
      },
    });
    await assert.rejects(engine.create(specOf(machine, 'x')), cut);
    assert.equal(machine.containers().length, 0);
    broken = 'after';
    await assert.rejects(engine.create(specOf(machine, 'x')), cut);
    assert.equal(machine.containers().length, 1);
    broken = null;
    await engine.create(specOf(machine, 'x'));
    assert.deepEqual(machine.count('b', 1), { creates: 1, starts: 0 });
  });

  test('a hang never settles, and the next engine object finds the effect', async () => {
    const { engine, machine } = stage({ after: () => new Promise(() => {}) });
    let settled = false;
    void engine.create(specOf(machine, 'x')).finally(() => (settled = true));
    const next = new FakeEngine({ machine, installId: 'i' });
    while (machine.containers().length === 0) await Promise.resolve();
    assert.equal((await next.inspect('b'))?.state, 'created');
    assert.equal(settled, false);
  });

  test('time passes on the clock only: a slow stop, its grace and its own end', async () => {
    const { clock, engine, machine } = stage();
    const containerId = await run(engine, machine, 'graceful stop 3000');
    const began = clock.now();
    const stopping = engine.stop(containerId, 10_000);
    await Promise.resolve();
    clock.advance(2999);
    assert.equal((await engine.inspect('b'))?.state, 'running');
    clock.advance(1);
    await stopping;
    const end = await engine.inspect('b');
    assert.deepEqual([end?.exitCode, end?.finishedAt], [0, began + 3000]);
  });

  test('a stop goes on when its caller is gone', async () => {
    const { clock, engine, machine } = stage();
    const containerId = await run(engine, machine, 'deaf');
    void engine.stop(containerId, 10_000);
    await Promise.resolve();
    clock.advance(10_000);
    assert.equal((await new FakeEngine({ machine, installId: 'i' }).inspect('b'))?.exitCode, 137);
  });

  test('a program may end by itself later', async () => {
    const { clock, engine, machine } = stage();
    await run(engine, machine, 'exit 4 after 60000');
    clock.advance(59_999);
    assert.equal((await engine.inspect('b'))?.state, 'running');
    clock.advance(1);
    assert.equal((await engine.inspect('b'))?.exitCode, 4);
  });

  test('a start error leaves the container created, with the text', async () => {
    const { engine, machine } = stage();
    await assert.rejects(run(engine, machine, 'start-error'), { code: 'refused', message: /OCI runtime/ });
    const seen = await engine.inspect('b');
    assert.deepEqual([seen?.state, seen?.exitCode], ['created', null]);
    assert.match(seen?.error ?? '', /OCI runtime/);
  });

  for (const liveRestore of [true, false]) {
    test(`an outage ${liveRestore ? 'with' : 'without'} live-restore`, async () => {
      const { engine, machine } = stage();
      const containerId = await run(engine, machine, 'deaf');
      const stopping = engine.stop(containerId, 10_000);
      const seen: EngineChange[] = [];
      const reading = (async () => {
        for await (const change of engine.changes(new AbortController().signal)) seen.push(change);
      })();
      await engine.list();
      machine.stopEngine();
      await assert.rejects(stopping, { code: 'unavailable' });
      await assert.rejects(reading, { code: 'unavailable' });
      await assert.rejects(engine.list(), { code: 'unavailable' });
      machine.startEngine({ liveRestore });
      assert.equal((await engine.info()).liveRestore, liveRestore);
      assert.equal((await engine.inspect('b'))?.state, liveRestore ? 'running' : 'exited');
    });
  }

  test('wake-ups are dropped, doubled and delayed as told', async () => {
    let deliveries: number[] = [];
    const { clock, engine, machine } = stage({ deliveries: () => deliveries });
    const controller = new AbortController();
    const changes = engine.changes(controller.signal)[Symbol.asyncIterator]();
    assert.deepEqual((await changes.next()).value, { kind: 'connected' });
    await engine.create(specOf(machine, 'x'));
    deliveries = [500, 0];
    await engine.start(machine.byName('bot_b')?.containerId ?? '');
    assert.deepEqual((await changes.next()).value, { kind: 'state', botId: 'b' });
    const late = changes.next();
    assert.notEqual(clock.nextTimerAt(), null);
    clock.advance(500);
    assert.deepEqual((await late).value, { kind: 'state', botId: 'b' });
    controller.abort();
    assert.equal((await changes.next()).done, true);
  });

  test('random fates follow their odds', () => {
    const change: EngineChange = { kind: 'state', botId: 'b' };
    const always = (odds: object) =>
      randomDeliveries(() => 0.5, { drop: 0, double: 0, delay: 0, maxDelayMs: 1000, ...odds })(change);
    assert.deepEqual(always({}), [0]);
    assert.deepEqual(always({ drop: 1 }), []);
    assert.deepEqual(always({ double: 1 }), [0, 0]);
    assert.deepEqual(always({ delay: 1 }), [500]);
  });

  test('an image that is gone is prepared on the clock, once for all who ask', async () => {
    const { clock, engine, machine } = stage();
    const go: Runtime = { language: 'go', version: '1.24', packages: [] };
    const before = await engine.findImage(go);
    machine.removeImage('go', '1.24');
    assert.equal(await engine.findImage(go), null);
    const texts: string[] = [];
    const both = [1, 2].map(() => engine.prepareImage(go, (text) => texts.push(text)));
    while (clock.nextTimerAt() === null) await Promise.resolve();
    clock.advance(5000);
    assert.deepEqual(await Promise.all(both), [before, before]);
    assert.deepEqual(texts, ['Preparing go 1.24']);
  });

  test('images with packages are told apart, and go unless a container uses them', async () => {
    const { clock, engine, machine } = stage();
    const [plain, rich] = [[], ['jq']].map((packages): Runtime => ({ language: 'go', version: '1.24', packages }));
    assert.ok(plain && rich);
    assert.equal(await engine.findImage(rich), null);
    const prepared = engine.prepareImage(rich, () => {});
    while (clock.nextTimerAt() === null) await Promise.resolve();
    clock.advance(5000);
    const imageId = await prepared;
    assert.deepEqual([await engine.findImage(rich), await engine.packageImages()], [imageId, [imageId]]);
    await assert.rejects(engine.removeImage((await engine.findImage(plain)) ?? ''), { code: 'unmanaged' });

    await engine.create({ ...specOf(machine, 'x'), imageId });
    await engine.removeImage(imageId);
    assert.equal(await engine.findImage(rich), imageId);
    await engine.remove(machine.byName('bot_b')?.containerId ?? '');
    await engine.removeImage(imageId);
    await engine.removeImage(imageId);
    assert.deepEqual([await engine.findImage(rich), await engine.packageImages()], [null, []]);
  });

  test('tests can write output and crash a bot', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'botel-fake-'));
    const machine = new FakeMachine({ clock: new ManualClock(0), ids: systemIds, directory });
    const engine = new FakeEngine({ machine, installId: 'i' });
    const containerId = await run(engine, machine, 'x');
    machine.write('b', 'oops', 'stderr');
    machine.crash('b', 9, { oom: true });
    const time = '1970-01-01T00:00:00.000Z';
    assert.deepEqual(
      (await readFile(await engine.logFile(containerId), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { log: 'started\n', stream: 'stdout', time },
        { log: 'oops\n', stream: 'stderr', time },
      ],
    );
    const end = await engine.inspect('b');
    assert.deepEqual([end?.exitCode, end?.oomKilled], [9, true]);
    assert.throws(() => machine.crash('b', 1), /No container of bot b runs/);
    await rm(directory, { recursive: true });
  });
});
