// What every Engine must do with what goes into programs and comes out of them; part of
// engine-contract.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutputMeter } from '../../src/agent/capture/output-meter.ts';
import { type EngineSuite, hasCode } from './engine-suite.ts';
import { until } from '../support/until.ts';

const unknownId = 'f'.repeat(64);

/** stdin of programs. */
export function testStdin(suite: EngineSuite): void {
  test('what is written to stdin is read in its order, and stdin stays open', async () => {
    const { containerId } = await suite.ready({ program: 'echo' });
    await suite.engine.writeStdin(containerId, 'one\ntw');
    await suite.engine.writeStdin(containerId, 'o\n');
    assert.deepEqual(await suite.gotLines(containerId, 2), ['started', 'got one', 'got two']);
    for (let count = 3; count <= 20; count++) await suite.engine.writeStdin(containerId, `${count} é\n`);
    const rest = Array.from({ length: 18 }, (_, index) => `got ${index + 3} é`);
    assert.deepEqual(await suite.gotLines(containerId, 20), ['started', 'got one', 'got two', ...rest]);
  });

  test('a program that does not read takes so much and no more, and is stopped as any other', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.ready({ program: 'numb' }, botId);
    const fill = async () => {
      // More than pipes and buffers on the way can hold.
      for (let count = 0; count < 256; count++) await suite.engine.writeStdin(containerId, 'x'.repeat(4096));
    };
    await assert.rejects(fill(), hasCode('unread'));
    await assert.rejects(suite.engine.writeStdin(containerId, 'y'), hasCode('unread'));
    assert.equal((await suite.seen(botId)).state, 'running');
    await suite.engine.stop(containerId, 8000);
    assert.equal((await suite.ended(botId)).exitCode, 143);
    await assert.rejects(suite.engine.writeStdin(containerId, 'z'), hasCode('refused'));
  });

  test('what has no stdin or does not run refuses', async () => {
    const closed = await suite.ready({ program: 'serve' });
    const made = await suite.created({ program: 'echo' });
    for (const containerId of [closed.containerId, made.containerId, unknownId]) {
      await assert.rejects(suite.engine.writeStdin(containerId, 'x'), hasCode('refused'));
    }
  });
}

const throttledRate = { bytesPerSecond: 20_000, linesPerSecond: 500 };

/** Programs whose output is held back. */
export function testThrottle(suite: EngineSuite): void {
  test('a program whose output is throttled waits, until it is let go', async () => {
    const { containerId } = await suite.ready({ program: 'flood' });
    const meter = new OutputMeter(await suite.engine.logFile(containerId));
    const grows = (bytes: number, withinMs?: number) => {
      let grown = 0;
      return until(async () => (grown += meter.grown()) > bytes, withinMs);
    };
    await grows(1_000_000);
    using throttle = await suite.engine.throttleOutput(containerId, throttledRate);
    // What was on its way passes.
    await until(async () => throttle.heldBack() && (await grows(200_000, 500).catch(() => 'slow')) === 'slow');
    assert(throttle.holds);
    await assert.rejects(grows(400_000, 1_000), /Not true/);
    throttle[Symbol.dispose]();
    assert.equal(throttle.holds, false);
    await grows(3_000_000);
  });

  for (const verb of ['stop', 'kill'] as const) {
    test(`a throttled program ends by ${verb}, and with it the throttle`, async () => {
      const botId = suite.bot();
      const { containerId } = await suite.ready({ program: 'flood' }, botId);
      const throttle = await suite.engine.throttleOutput(containerId, throttledRate);
      await until(async () => throttle.heldBack());
      await (verb === 'stop' ? suite.engine.stop(containerId, 8000) : suite.engine.kill(containerId));
      assert.equal((await suite.ended(botId)).exitCode, verb === 'stop' ? 143 : 137);
      assert.equal(throttle.holds, false);
      throttle[Symbol.dispose]();
    });
  }

  test('a throttled program that is ended from outside is seen to have ended', async () => {
    const botId = suite.bot();
    const { containerId } = await suite.ready({ program: 'flood' }, botId);
    const throttle = await suite.engine.throttleOutput(containerId, throttledRate);
    await until(async () => throttle.heldBack());
    await suite.subject.removeByHand(botId);
    await until(async () => !throttle.holds);
    assert.equal(await suite.engine.inspect(botId), null);
  });

  test('what does not run is not throttled', async () => {
    const { containerId } = await suite.created({ program: 'flood' });
    for (const id of [containerId, unknownId])
      await assert.rejects(suite.engine.throttleOutput(id, throttledRate), hasCode('refused'));
  });
}
