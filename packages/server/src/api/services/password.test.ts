// Hashes have their full cost unless a test requested cheap ones, and each is verified at its own
// cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, usePasswordCost, verifyPassword } from './password.ts';

test('a hash has the full cost; cheap ones and full ones are both checked', async (t) => {
  t.after(() => usePasswordCost('full'));
  const full = await hashPassword('one');
  assert.match(full, /^argon2id\$65536\$3\$1\$/);
  usePasswordCost('cheap');
  const cheap = await hashPassword('two');
  assert.match(cheap, /^argon2id\$64\$1\$1\$/);
  for (const [password, hash] of [
    ['one', full],
    ['two', cheap],
  ] as const) {
    assert.equal(await verifyPassword(password, hash), true);
    assert.equal(await verifyPassword(`${password} `, hash), false);
  }
});
