// Levels of a file system: at the mark counts as over it, and the worst one wins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mustStop } from './quota.ts';
import { storageLevel, worst } from './storage.ts';

test('the marks belong to the level above them', () => {
  const marks = { warnPercent: 85, refusePercent: 95 };
  const level = (used: number) => storageLevel({ used, free: 100 - used }, marks);
  assert.deepEqual([0, 84, 85, 94, 95, 100].map(level), ['ok', 'ok', 'warning', 'warning', 'full', 'full']);
  assert.equal(storageLevel({ used: 0, free: 0 }, marks), 'ok', 'what counts nothing is never full');
  assert.equal(worst([]), 'ok');
  assert.equal(worst(['ok', 'full', 'warning']), 'full');
});

test('a bot is stopped beyond 110 % of its limit', () => {
  assert.equal(mustStop({ usedBytes: 1100, limitBytes: 1000 }), false);
  assert.equal(mustStop({ usedBytes: 1101, limitBytes: 1000 }), true);
});
