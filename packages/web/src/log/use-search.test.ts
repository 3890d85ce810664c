// Next and previous search hit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextOf } from './use-search.ts';

test('begins with the newest hit and goes around the ends', () => {
  assert.equal(nextOf([3, 7, 9], null, 1), 9);
  assert.equal(nextOf([3, 7, 9], null, -1), 9);
  assert.equal(nextOf([3, 7, 9], 9, 1), 3);
  assert.equal(nextOf([3, 7, 9], 3, -1), 9);
  assert.equal(nextOf([], 3, 1), null);
});

test('goes on from a place that is no hit any more', () => {
  assert.equal(nextOf([3, 7, 9], 8, -1), 7);
  assert.equal(nextOf([3, 7, 9], 5, 1), 7);
});
