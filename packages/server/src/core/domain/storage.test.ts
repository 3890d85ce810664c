// Levels of a file system: reaching a mark counts as exceeding it, and the worst level wins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskLevel, filesLimit, isOverLimit, mebibyte, mustStop } from './quota.ts';
import { storageLevel, worst } from './storage.ts';

test('the marks belong to the level above them', () => {
  const marks = { warnPercent: 85, refusePercent: 95 };
  const level = (used: number) => storageLevel({ used, free: 100 - used }, marks);
  assert.deepEqual([0, 84, 85, 94, 95, 100].map(level), ['ok', 'ok', 'warning', 'warning', 'full', 'full']);
  assert.equal(storageLevel({ used: 0, free: 0 }, marks), 'ok', 'what counts nothing is never full');
  assert.equal(worst([]), 'ok');
  assert.equal(worst(['ok', 'full', 'warning']), 'full');
});

test('a bot is stopped beyond 110 % of its limit of bytes or of files', () => {
  const bytes = (part: number) => ({ bytes: part * 100 * mebibyte, files: 10 });
  assert.deepEqual([mustStop(bytes(1.1), 100), mustStop(bytes(1.11), 100)], [false, true]);
  assert.deepEqual([isOverLimit(bytes(1), 100), isOverLimit(bytes(1.01), 100)], [false, true]);
  assert.deepEqual([filesLimit(100), filesLimit(16)], [6400, 4096]);
  const files = (count: number) => ({ bytes: 0, files: count });
  assert.deepEqual(
    [0.79, 0.8, 1].map((part) => diskLevel(files(part * 6400), 100)),
    [null, 'warning', 'full'],
  );
  assert.deepEqual([mustStop(files(7040), 100), mustStop(files(7041), 100)], [false, true]);
});
