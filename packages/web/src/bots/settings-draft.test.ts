// What saving the settings sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields, inputOf, type SettingsDraft } from './settings-draft.ts';

const before: SettingsDraft = {
  name: 'a',
  memory: 256,
  diskMb: 1024,
  network: 'internet',
  stdin: false,
  mode: 'on-failure',
  retries: 5,
  backoff: 300,
  signal: 'SIGTERM',
  grace: 10,
  packages: ['ffmpeg'],
};

test('nothing but what was changed', () => {
  assert.deepEqual(inputOf(before, before), {});
  assert.deepEqual(inputOf({ ...before, memory: 512, diskMb: 2048 }, before), { memory: 512, disk_mb: 2048 });
  assert.deepEqual(changedFields({ ...before, packages: [], stdin: true }, before), ['stdin', 'packages']);
  assert.deepEqual(inputOf({ ...before, packages: [] }, before), { packages: [] });
});

test('a policy and a stop as a whole, and without end by leaving the number out', () => {
  assert.deepEqual(inputOf({ ...before, retries: null }, before), {
    restart_policy: { mode: 'on-failure', backoff_max_seconds: 300 },
  });
  assert.deepEqual(inputOf({ ...before, mode: 'always' }, before), {
    restart_policy: { mode: 'always', backoff_max_seconds: 300, max_retries: 5 },
  });
  assert.deepEqual(inputOf({ ...before, grace: 30 }, before), { stop: { signal: 'SIGTERM', grace_seconds: 30 } });
});
