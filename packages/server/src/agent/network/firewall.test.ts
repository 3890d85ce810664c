// The firewall as its callers see it: its faults when the machine can't be repaired.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Firewall, type FirewallOptions } from './firewall.ts';
import { nameServers } from './resolvers.ts';

function firewall(change: Partial<FirewallOptions> = {}) {
  const reports: string[] = [];
  const refused = () => Promise.reject(new Error('iptables-save ended with code 4'));
  const guard = new Firewall({
    tables: { families: () => ['v4'], read: refused, restore: refused },
    policy: async () => ({ bridge: 'no-such-bridge', subnet: '10.0.0.0/8', resolvers: [], blocked: [], allowed: [] }),
    installId: 'test',
    lock: () => null,
    report: (level, _, message) => reports.push(`${level} ${message}`),
    ...change,
  });
  return { guard, reports };
}

test('nothing is known before the first look; a fault is told once and looked at again by everybody who asks', async () => {
  let asked = 0;
  const policy = async () => {
    asked++;
    throw new Error('The engine is away');
  };
  const { guard, reports } = firewall({ policy });
  assert.equal(guard.lastFault, undefined);
  assert.equal(await guard.fault(), 'The engine is away');
  assert.equal(guard.lastFault, 'The engine is away');
  assert.equal(await guard.fault(), 'The engine is away');
  assert.equal(asked, 2);
  assert.deepEqual(reports, ["error the bots' network can't be closed: no bot is started"]);
});

test('looks do not overlap, and those who wait share one', async () => {
  let asked = 0;
  const { guard } = firewall({
    policy: async () => {
      asked++;
      throw new Error('away');
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => guard.fault()));
  assert.ok(asked <= 2, `${asked} looks`);
});

test('without its bridge nothing can be said to be closed', async () => {
  const { guard } = firewall();
  assert.equal(await guard.fault(), 'This machine has no bridge no-such-bridge');
});

test('name servers of a machine: IPv4, and reachable from a container', () => {
  const text =
    'search x\nnameserver 127.0.0.53\nnameserver 192.0.2.1\n nameserver  192.0.2.2 # b\nnameserver ::1\nnameserver 192.0.2.1\n';
  assert.deepEqual(nameServers(text), ['192.0.2.1', '192.0.2.2']);
});
