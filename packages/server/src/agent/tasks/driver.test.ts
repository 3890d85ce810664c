// A task's recorded status: last run, duration, and the last error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { TaskDriver } from './driver.ts';

test('the status of a task tells its last run and keeps its last error', async () => {
  const clock = new ManualClock(1_000);
  const logged: string[] = [];
  const driver = new TaskDriver(clock, (error, task) => logged.push(`${task}: ${(error as Error).message}`));
  let fails = true;
  driver.add({
    name: 'sweep',
    everyMs: 60_000,
    async run() {
      clock.advance(25);
      if (fails) throw new Error('x'.repeat(1000));
    },
  });
  const status = () => driver.statuses()[0];
  assert.deepEqual(status(), { name: 'sweep', periodMs: 60_000, lastRun: null, lastError: null });
  await driver.run('sweep');
  assert.deepEqual(status()?.lastRun, { startedAt: 1_000, durationMs: 25 });
  assert.deepEqual(status()?.lastError, { at: 1_025, message: 'x'.repeat(300) });
  assert.equal(logged.length, 1);
  fails = false;
  clock.advance(975);
  await driver.run('sweep');
  assert.deepEqual(status()?.lastRun, { startedAt: 2_000, durationMs: 25 });
  assert.equal(status()?.lastError?.at, 1_025);
});
