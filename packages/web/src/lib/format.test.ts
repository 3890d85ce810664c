// Times, sizes and numbers in both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatBytes, formatDuration, formatMs, formatPercent } from './format.ts';

test('a length of time has its two largest units', () => {
  assert.equal(formatDuration(0, 'en'), '0s');
  assert.equal(formatDuration(59.9, 'en'), '59s');
  assert.equal(formatDuration(3600, 'en'), '1h');
  assert.equal(formatDuration(3725, 'en'), '1h 2m');
  assert.equal(formatDuration(90_061, 'en'), '1d 1h');
  assert.equal(formatDuration(-3, 'en'), '0s');
});

test('a short time is in ms below a second', () => {
  assert.equal(formatMs(0, 'en'), '0 ms');
  assert.equal(formatMs(999, 'en'), '999 ms');
  assert.equal(formatMs(1340, 'pt-BR'), '1,3 s');
  assert.equal(formatMs(120_000, 'en'), '120 sec');
});

test('a moment is relative to now', () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(formatAgo(now - 40_000, now, 'en'), '40 sec. ago');
  assert.equal(formatAgo(now + 120_000, now, 'en'), 'in 2 min.');
  assert.equal(formatAgo(now - 3 * 86_400_000, now, 'en'), '3 days ago');
});

test('bytes come in the unit that fits', () => {
  assert.equal(formatBytes(0, 'en'), '0 B');
  assert.equal(formatBytes(1023, 'en'), '1,023 B');
  assert.equal(formatBytes(1024, 'en'), '1 KB');
  assert.equal(formatBytes(1_677_722, 'pt-BR'), '1,6 MB');
});

test('a part of a hundred', () => {
  assert.equal(formatPercent(12.34, 'en', 1), '12.3%');
});
