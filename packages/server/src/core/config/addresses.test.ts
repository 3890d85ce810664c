// Accepted and rejected addresses in settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressList, rangeList, serverList, targetList } from './addresses.ts';

test('lists of addresses, ranges and ports', () => {
  assert.deepEqual(addressList(''), []);
  assert.deepEqual(addressList('192.0.2.1, 192.0.2.2'), ['192.0.2.1', '192.0.2.2']);
  assert.deepEqual(rangeList('192.0.2.0/24,192.0.2.1'), ['192.0.2.0/24', '192.0.2.1/32']);
  assert.deepEqual(targetList('10.0.0.5, 10.1.0.0/16 ,10.0.0.6:5432/tcp,10.0.0.0/8:53/udp'), [
    { range: '10.0.0.5/32', port: null },
    { range: '10.1.0.0/16', port: null },
    { range: '10.0.0.6/32', port: { protocol: 'tcp', number: 5432 } },
    { range: '10.0.0.0/8', port: { protocol: 'udp', number: 53 } },
  ]);
});

test('servers of either kind, with ports', () => {
  const servers = ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:53'];
  assert.deepEqual(serverList(servers.join(', ')), servers);
  for (const text of ['ns.example.com', '192.0.2.53:0', '192.0.2.53:65536', '[192.0.2.53:53', '[]:53', ':53', '1.2.3'])
    assert.throws(() => serverList(text), /^Error: must be addresses like/, text);
});

test('everything else is refused with a predicate', () => {
  for (const text of ['localhost', '::1', '1.2.3', '1.2.3.4/8', '1.2.3.4 5.6.7.8'])
    assert.throws(() => addressList(text), /^Error: must be IPv4 addresses/);
  for (const text of ['x', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/8/8', '::/0', '1.2.3.4:80/tcp'])
    assert.throws(() => rangeList(text), /^Error: must be IPv4 addresses or ranges/, text);
  for (const text of ['1.2.3.4:80', '1.2.3.4:0/tcp', '1.2.3.4:65536/tcp', '1.2.3.4:80/icmp', ':80/tcp', '1.2.3.4:/tcp'])
    assert.throws(() => targetList(text), /^Error: must be IPv4 addresses or ranges/, text);
});
