// A signature is valid only for its text, master key and purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Signer } from './signer.ts';

const master = Buffer.alloc(32, 7);
const signer = new Signer(master, 'a');

test('a signature is right for its text, master key and purpose, and for no others', () => {
  const signature = signer.sign('text');
  assert.match(signature, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Signer(master, 'a').isRight('text', signature), true);
  assert.equal(signer.isRight('texT', signature), false);
  assert.equal(new Signer(master, 'b').isRight('text', signature), false);
  assert.equal(new Signer(Buffer.alloc(32, 8), 'a').isRight('text', signature), false);
});

test('anything else is refused, whatever its length', () => {
  const signature = signer.sign('text');
  for (const wrong of ['', signature.slice(1), `${signature}A`, `${signature}=`, 'A'.repeat(43), 'ü'.repeat(43)])
    assert.equal(signer.isRight('text', wrong), false, wrong);
});
