// Rows selected one by one, or as a range.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectRow } from './select-rows.ts';

const names = ['a', 'b', 'c', 'd'];
const after = (selected: string[], name: string, from: string | null = null) =>
  [...selectRow(names, new Set(selected), { name, from })].toSorted().join('');

test('a row turns over', () => {
  assert.equal(after(['a'], 'c'), 'ac');
  assert.equal(after(['a', 'c'], 'c'), 'a');
});

test('a stretch becomes what its end becomes, in both directions', () => {
  assert.equal(after(['a'], 'c', 'a'), 'abc');
  assert.equal(after(['d'], 'b', 'd'), 'bcd');
  assert.equal(after(['a', 'b', 'c', 'd'], 'b', 'd'), 'a');
});

test('a row that is not there any more begins no stretch', () => {
  assert.equal(after([], 'b', 'gone'), 'b');
});
