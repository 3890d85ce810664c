// Addresses of bots: those of their bridge, except the machine's own.
import assert from 'node:assert/strict';
import type { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { BotAddresses } from './bot-addresses.ts';

type Interfaces = ReturnType<typeof networkInterfaces>;

function device(address: string, cidr: string): Interfaces[string] {
  const family = address.includes(':') ? ('IPv6' as const) : ('IPv4' as const);
  return [{ address, cidr, family, netmask: '', mac: '', internal: false }] as Interfaces[string];
}

test('only what is in the range of the bridge, but for the bridge itself', () => {
  const interfaces = {
    lo: device('127.0.0.1', '127.0.0.1/8'),
    eth0: device('192.0.2.7', '192.0.2.7/24'),
    botel0: device('172.31.0.1', '172.31.0.1/16'),
    docker0: device('172.17.0.1', '172.17.0.1/16'),
  };
  const bots = new BotAddresses('botel0', new ManualClock(), () => interfaces);
  for (const address of ['172.31.0.2', '172.31.255.254']) assert.ok(bots.has(address), address);
  for (const address of [
    '172.31.0.1',
    '172.17.0.2',
    '127.0.0.1',
    '192.0.2.7',
    '192.0.2.8',
    '169.254.169.254',
    '0.0.0.0',
    '::ffff:172.31.0.2',
    '::1',
    '172.31.0.2:80',
    '172.31.2',
    'localhost',
    '',
  ])
    assert.ok(!bots.has(address), address);
});

test('a bridge that comes later is found; without one nothing is a bot', () => {
  const clock = new ManualClock();
  let interfaces: Interfaces = {};
  const bots = new BotAddresses('botel0', clock, () => interfaces);
  assert.ok(!bots.has('172.31.0.2'));
  interfaces = { botel0: device('172.31.0.1', '172.31.0.1/16') };
  clock.advance(1000);
  assert.ok(bots.has('172.31.0.2'));
});
