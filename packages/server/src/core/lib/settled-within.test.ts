// In time, too late, and failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { settledWithin } from './settled-within.ts';

test('tells whether the work ended in time, or how it failed', async () => {
  const clock = new ManualClock();
  assert.equal(await settledWithin(clock, 10, Promise.resolve('done')), true);
  assert.equal(clock.nextTimerAt(), null, 'no timer is left');
  const late = settledWithin(clock, 10, new Promise(() => {}));
  clock.advance(10);
  assert.equal(await late, false);
  await assert.rejects(settledWithin(clock, 10, Promise.reject(new Error('broken'))), /broken/);
});
