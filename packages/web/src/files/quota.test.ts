// When disk usage becomes a warning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotaOf } from './quota.ts';

const disk = { used_bytes: 0, limit_bytes: 1000, used_files: 0, limit_files: 100 };
const usage = (disk_used_bytes: number | null) =>
  ({ disk_used_bytes }) as NonNullable<Parameters<typeof quotaOf>[0]['usage']>;

test('a disk is fine until three quarters of it are used, and bad from nine tenths on', () => {
  const stateOf = (used: number) => quotaOf({ disk: { ...disk, used_bytes: used }, usage: null }).state;
  assert.deepEqual([0, 749, 750, 899, 900, 1200].map(stateOf), ['fine', 'fine', 'warn', 'warn', 'bad', 'bad']);
});

test('numbers that come live count before those that were read', () => {
  assert.equal(quotaOf({ disk, usage: usage(800) }).usedBytes, 800);
  assert.equal(quotaOf({ disk: { ...disk, used_bytes: 5 }, usage: usage(null) }).usedBytes, 5);
  assert.equal(quotaOf({ disk: { ...disk, used_bytes: null }, usage: null }).usedBytes, null);
});

test('the number of files is shown only where it nears its limit', () => {
  assert.equal(quotaOf({ disk: { ...disk, used_files: 74 }, usage: null }).files, null);
  const full = quotaOf({ disk: { ...disk, used_files: 95 }, usage: null });
  assert.deepEqual([full.files, full.state], [{ used: 95, limit: 100 }, 'bad']);
});
