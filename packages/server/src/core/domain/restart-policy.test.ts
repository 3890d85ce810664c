// Backoff of 1, 2, 4 … 300 s with 0 to 10 % jitter, reset after ten minutes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartPolicy } from './bot.ts';
import { backoffSeconds, countFailures, isFailure, retryAt } from './restart-policy.ts';

const policy: RestartPolicy = { mode: 'on-failure', maxRetries: null, backoffMaxSeconds: 300 };

test('doubles up to the maximum', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 8, 9, 10, 11, 500].map((n) => backoffSeconds(n, 300)),
    [1, 2, 4, 8, 128, 256, 300, 300, 300],
  );
});

test('jitter adds at most a tenth', () => {
  assert.equal(retryAt(policy, 1, 1000, 0), 2000);
  assert.equal(retryAt(policy, 3, 0, 0.5), 4200);
  assert.ok((retryAt(policy, 20, 0, 0.999_999) ?? 0) <= 330_000);
});

test('never and too many retries end it', () => {
  assert.equal(retryAt({ ...policy, mode: 'never' }, 1, 0, 0), null);
  assert.equal(retryAt({ ...policy, maxRetries: 2 }, 2, 0, 0), 2000);
  assert.equal(retryAt({ ...policy, maxRetries: 2 }, 3, 0, 0), null);
});

test('exit 0 is a failure only for always; asked ends never are', () => {
  assert.equal(isFailure('exited', policy), false);
  assert.equal(isFailure('exited', { ...policy, mode: 'always' }), true);
  for (const reason of ['crashed', 'oom', 'start_failed', 'vanished'] as const)
    assert.equal(isFailure(reason, policy), true);
  for (const reason of ['stopped', 'killed', 'interrupted'] as const)
    assert.equal(isFailure(reason, { ...policy, mode: 'always' }), false);
});

test('ten minutes up forgive', () => {
  assert.equal(countFailures(7, 599), 8);
  assert.equal(countFailures(7, 600), 1);
});
