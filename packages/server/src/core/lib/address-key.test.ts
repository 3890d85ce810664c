// One key per IPv4 address, and one per /64 of IPv6.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from './address-key.ts';

test('IPv4 as it is, also inside of IPv6', () => {
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
  assert.equal(addressKey('::ffff:192.0.2.1'), '192.0.2.1');
});

test('IPv6 by its first 64 bits, however it is written', () => {
  for (const address of ['2001:db8::1', '2001:0DB8:0:0:ffff::', '2001:db8:0:0:1:2:3:4', '2001:db8::192.0.2.1'])
    assert.equal(addressKey(address), '2001:db8:0:0', address);
  assert.equal(addressKey('2001:db8:0:1::1'), '2001:db8:0:1');
  assert.equal(addressKey('::1'), '0:0:0:0');
  assert.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0');
});

test('a text that is no address has the key of all such', () => {
  for (const text of ['', 'nonsense', '1.2.3', '1.2.3.4:80', 'x'.repeat(10_000)])
    assert.equal(addressKey(text), 'unknown');
});
