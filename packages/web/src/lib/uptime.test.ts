// A new bot shows no uptime yet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownUptime } from './uptime.ts';

test('the first minutes of a bot say nothing about its uptime', () => {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const at = (seconds: number) => Date.parse(createdAt) + seconds * 1000;
  assert.equal(shownUptime(91.6, createdAt, at(24)), null);
  assert.equal(shownUptime(99.8, createdAt, at(600)), 99.8);
  assert.equal(shownUptime(null, createdAt, at(600)), null);
  assert.equal(shownUptime(undefined, createdAt, at(600)), null);
});
