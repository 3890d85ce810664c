// What was sealed comes back only with the same key, context and bytes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Sealer } from './sealer.ts';

const sealer = new Sealer(randomBytes(32));

test('any text comes back', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sealer.open(sealer.seal(text, 'c'), 'c') === text));
});

test('the same text is sealed differently each time and does not show', () => {
  const [a, b] = [sealer.seal('secret-canary', 'c'), sealer.seal('secret-canary', 'c')];
  assert.notEqual(a, b);
  assert.ok(!a.includes('canary') && !Buffer.from(a.slice(3), 'base64url').includes('canary'));
});

test('another key, context or any changed byte is refused', () => {
  const sealed = sealer.seal('text', 'c');
  assert.throws(() => new Sealer(randomBytes(32)).open(sealed, 'c'));
  assert.throws(() => sealer.open(sealed, 'd'));
  assert.throws(() => sealer.open('', 'c'), /Not a sealed text/);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] ?? 0) ^ 1;
    assert.throws(() => sealer.open(`v1.${changed.toString('base64url')}`, 'c'));
  }
});
