// Names of copies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyName } from './duplicate-bot.ts';

test('a copy is called after its original, and as no other', () => {
  assert.equal(copyName('ping', new Set()), 'ping-copy');
  assert.equal(copyName('ping', new Set(['ping-copy', 'ping-copy-2'])), 'ping-copy-3');
  assert.equal(copyName('x'.repeat(64), new Set()), `${'x'.repeat(59)}-copy`);
});
