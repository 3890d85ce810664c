// Client addresses behind proxies: only trusted proxies are believed, from the last one backwards.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { TrustedProxies } from './trusted-proxies.ts';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

test('who is not trusted says nothing of others', () => {
  for (const proxies of [new TrustedProxies([]), new TrustedProxies(['192.0.2.0/24', '2001:db8::1'])])
    assert.equal(proxies.addressOf(from('198.51.100.1', '203.0.113.9')), '198.51.100.1');
});

test('the last address before the trusted ones; what a client wrote before it counts for nothing', () => {
  const proxies = new TrustedProxies(['127.0.0.1', '192.0.2.0/24', '2001:db8::/32']);
  const cases: [string, string | undefined, string][] = [
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['::ffff:127.0.0.1', '203.0.113.9,192.0.2.7', '203.0.113.9'],
    ['2001:db8::5', '2001:db9::1', '2001:db9::1'],
    ['127.0.0.1', '192.0.2.1, 192.0.2.2', '192.0.2.1'],
    ['127.0.0.1', 'nonsense', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9, , 192.0.2.7', '192.0.2.7'],
    ['127.0.0.1', '', '127.0.0.1'],
  ];
  for (const [remote, forwarded, address] of cases)
    assert.equal(proxies.addressOf(from(remote, forwarded)), address, `${remote} ${forwarded}`);
});
