// Excessive output is throttled, reported and released, whatever the engine does meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewEvent } from '../../core/domain/event.ts';
import { EngineError, type OutputThrottle } from '../engine/engine.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { RunOutput } from '../capture/followed-run.ts';
import { Topic } from '../../core/lib/topic.ts';
import { aBot } from '../../../test/support/sample-bot.ts';
import { throttleOutputTask } from './throttle-output.ts';

const megabyte = 1_000_000;

class StubThrottle implements OutputThrottle {
  holds = true;
  held = true;

  heldBack(): boolean {
    return this.held;
  }

  [Symbol.dispose](): void {
    this.holds = false;
  }
}

function stage() {
  const clock = new ManualClock();
  const bot = aBot({}, { run: 3, runState: 'running' });
  let pending = 0;
  const source = { botId: bot.id, run: 3, containerId: 'c' };
  const outputs: RunOutput[] = [{ source, grown: () => [pending, (pending = 0)][0] ?? 0 }];
  const throttles: StubThrottle[] = [];
  const lines: string[] = [];
  const told: NewEvent[] = [];
  const warnings: string[] = [];
  const unstoppable = new Map<string, number>();
  const desiredChanged = new Topic();
  const woken: string[] = [];
  desiredChanged.onAny((botId) => woken.push(botId));
  const engine = {
    fault: null as EngineError | null,
    async throttleOutput() {
      if (engine.fault) throw engine.fault;
      const throttle = new StubThrottle();
      throttles.push(throttle);
      return throttle;
    },
  };
  const task = throttleOutputTask({
    engine,
    capture: { outputs: () => outputs },
    logs: { system: async (_botId, _run, text) => void lines.push(text) },
    database: { transaction: (work) => work() },
    bots: { find: async () => bot, desiredChanged },
    unstoppable,
    events: { add: async (_bot, event) => void told.push(event) },
    clock,
    warn: (_fields, message) => warnings.push(message),
  });
  /** The bot writes `rate` MB in each of the seconds. */
  const live = async (seconds: number, rate: number) => {
    for (let second = 0; second < seconds; second++) {
      pending += rate * megabyte;
      clock.advance(1000);
      await task.run();
    }
  };
  return { bot, outputs, throttles, lines, told, warnings, engine, unstoppable, woken, live, task };
}

test('a bot that writes no more than it may is left alone', async () => {
  const { throttles, lines, live } = stage();
  await live(60, 1.9);
  assert.deepEqual([throttles, lines], [[], []]);
});

test('a flood is throttled and told of, and let go when it is over', async () => {
  const { bot, throttles, lines, told, live } = stage();
  await live(5, 13);
  assert.deepEqual([throttles.length, throttles[0]?.holds], [1, true]);
  assert.deepEqual(lines, ['Output is being held back: 13.0 MB/s were written, 2.0 MB/s are allowed']);
  assert.deepEqual(told, [
    {
      type: 'log.flood',
      message: `Bot "${bot.name}" wrote 13.0 MB/s of output, which is being held back`,
      detail: { run: 3, bytes_per_second: 13_000_000 },
    },
  ]);
  await live(60, 0.5);
  assert.equal(throttles[0]?.holds, true, 'it would write more');
  throttles[0]!.held = false;
  await live(40, 0.1);
  assert.deepEqual([throttles.length, throttles[0]?.holds, lines[1]], [1, false, 'Output is not held back any more']);
  await live(3, 13);
  assert.deepEqual([throttles.length, lines.length, told.length], [2, 3, 1], 'an event is not repeated so soon');
  throttles[1]!.held = false;
  await live(600, 0);
  await live(3, 13);
  assert.equal(told.length, 2);
});

test('a throttle that the engine lets go is put on again only if the flood goes on', async () => {
  const { throttles, live } = stage();
  await live(3, 13);
  throttles[0]?.[Symbol.dispose]();
  await live(10, 1);
  assert.equal(throttles.length, 1);
  await live(3, 13);
  assert.equal(throttles.length, 2);
});

test('a throttle that fails is tried again, and nothing else is held up', async () => {
  const { throttles, engine, live, warnings, lines } = stage();
  engine.fault = new EngineError('unavailable', 'away');
  await live(4, 5);
  assert.deepEqual([throttles.length, lines.length], [0, 1]);
  assert.ok(warnings.length > 0);
  engine.fault = null;
  await live(1, 5);
  assert.equal(throttles.length, 1);
});

test('the end of a run is the end of its throttle', async () => {
  const { outputs, throttles, live, task } = stage();
  await live(3, 13);
  outputs.length = 0;
  await task.run();
  assert.equal(throttles[0]?.holds, false);
});

test('a run whose output no throttle holds is to be stopped, and no other run of the bot', async () => {
  const { bot, outputs, unstoppable, woken, live, task } = stage();
  await live(11, 9);
  assert.equal(unstoppable.get(bot.id), undefined);
  await live(12, 11);
  assert.equal(unstoppable.get(bot.id), bot.observed.run);
  assert.ok(woken.includes(bot.id));
  assert.notEqual(unstoppable.get(bot.id), 4);
  outputs.length = 0;
  await task.run();
  assert.equal(unstoppable.get(bot.id), undefined);
});
