// Decryption needs the same key, context and bytes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextCipher } from './text-cipher.ts';

const cipher = new TextCipher(randomBytes(32));

test('any text comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => cipher.decrypt(cipher.encrypt(text, 'c'), 'c') === text),
  );
});

test('the same text is encrypted differently each time and does not show', () => {
  const [a, b] = [cipher.encrypt('secret-canary', 'c'), cipher.encrypt('secret-canary', 'c')];
  assert.notEqual(a, b);
  assert.ok(!a.includes('canary') && !Buffer.from(a.slice(3), 'base64url').includes('canary'));
});

test('another key, context or any changed byte is refused', () => {
  const encrypted = cipher.encrypt('text', 'c');
  assert.throws(() => new TextCipher(randomBytes(32)).decrypt(encrypted, 'c'));
  assert.throws(() => cipher.decrypt(encrypted, 'd'));
  assert.throws(() => cipher.decrypt('', 'c'), /Not an encrypted text/);
  const bytes = Buffer.from(encrypted.slice(3), 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] ?? 0) ^ 1;
    assert.throws(() => cipher.decrypt(`v1.${changed.toString('base64url')}`, 'c'));
  }
});
