// Golden test of the firewall's rules: nothing but addresses, numbers and a device name gets into
// them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type NetworkPolicy, privateRanges, renderRules } from './rules.ts';

const policy: NetworkPolicy = {
  bridge: 'botel0',
  subnet: '172.18.0.0/16',
  resolvers: ['10.0.0.53'],
  blocked: [...privateRanges, '192.0.2.0/24'],
  allowed: [
    { range: '10.1.0.0/16', port: null },
    { range: '10.2.0.1/32', port: { protocol: 'tcp', number: 5432 } },
  ],
};

test('all rules of a policy', () => {
  assert.deepEqual(renderRules(policy), {
    bridge: 'botel0',
    hash: '2e0a56319bb8',
    v4: {
      in: [
        '! -s 172.18.0.0/16 -j DROP',
        '-m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j ACCEPT',
        '-d 10.0.0.53/32 -p udp -m udp --dport 53 -j ACCEPT',
        '-d 10.0.0.53/32 -p tcp -m tcp --dport 53 -j ACCEPT',
        '-j DROP',
      ],
      out: [
        '! -s 172.18.0.0/16 -j DROP',
        '-d 172.18.0.0/16 -j DROP',
        '-d 10.0.0.53/32 -p udp -m udp --dport 53 -j RETURN',
        '-d 10.0.0.53/32 -p tcp -m tcp --dport 53 -j RETURN',
        '-m conntrack --ctstate DNAT -j DROP',
        '-d 10.1.0.0/16 -j RETURN',
        '-d 10.2.0.1/32 -p tcp -m tcp --dport 5432 -j RETURN',
        '-d 0.0.0.0/8 -j DROP',
        '-d 10.0.0.0/8 -j DROP',
        '-d 100.64.0.0/10 -j DROP',
        '-d 127.0.0.0/8 -j DROP',
        '-d 169.254.0.0/16 -j DROP',
        '-d 172.16.0.0/12 -j DROP',
        '-d 192.0.0.0/24 -j DROP',
        '-d 192.168.0.0/16 -j DROP',
        '-d 198.18.0.0/15 -j DROP',
        '-d 224.0.0.0/4 -j DROP',
        '-d 240.0.0.0/4 -j DROP',
        '-d 192.0.2.0/24 -j DROP',
      ],
    },
    v6: { in: ['-j DROP'], out: ['-j DROP'] },
  });
});

test('the hash is that of the rules', () => {
  assert.equal(renderRules({ ...policy }).hash, renderRules(policy).hash);
  for (const change of [{ bridge: 'other0' }, { subnet: '172.19.0.0/16' }, { resolvers: [] }, { allowed: [] }])
    assert.notEqual(renderRules({ ...policy, ...change }).hash, renderRules(policy).hash, Object.keys(change)[0]);
});

const word = String.raw`(?:[a-zA-Z,]+|\d+(?:\.\d+){3}/\d+|\d+)`;
const harmless = new RegExp(`^(?:! )?(?:-{1,2}[a-z]+ ${word})(?: -{1,2}[a-z]+ ${word})*$`);

test('no text gets into a rule that is not an address, a port or a name of a device', () => {
  const pieces = [
    '10.0.0.1',
    '/8',
    '/32',
    ' -j ACCEPT',
    '\n',
    '-A',
    ' ',
    ';',
    '$(x)',
    '"',
    "'",
    '0',
    '::1',
    'é',
    '\0',
    '!',
    '%',
  ];
  for (let round = 0; round < 3_000; round++) {
    const bytes = randomBytes(8);
    const count = (bytes[0] ?? 0) % 4;
    const text = Array.from({ length: count + 1 }, (_, at) => pieces[(bytes[at + 1] ?? 0) % pieces.length]).join('');
    const port = { protocol: text as 'tcp', number: Number(text) };
    const changes: Partial<NetworkPolicy>[] = [
      { bridge: text },
      { subnet: text },
      { resolvers: [text] },
      { blocked: [text] },
      { allowed: [{ range: text, port: null }] },
      { allowed: [{ range: '10.0.0.1/32', port }] },
    ];
    for (const change of changes) assertHarmless({ ...policy, ...change });
  }
});

test('what is not valid is refused', () => {
  const bad: Partial<NetworkPolicy>[] = [
    { bridge: 'sixteen-letters-' },
    { bridge: '-i' },
    { bridge: 'Botel0' },
    { subnet: '172.18.0.0' },
    { subnet: '172.18.0.0/33' },
    { subnet: 'fd00::/8' },
    { resolvers: ['localhost'] },
    { resolvers: ['10.0.0.1/32'] },
    { blocked: ['10.0.0.0/8\n-A INPUT -j ACCEPT'] },
    { allowed: [{ range: '10.0.0.1/32', port: { protocol: 'tcp', number: 0 } }] },
    { allowed: [{ range: '10.0.0.1/32', port: { protocol: 'tcp', number: 80.5 } }] },
    { allowed: [{ range: '10.0.0.1/32', port: { protocol: 'icmp' as 'tcp', number: 80 } }] },
  ];
  for (const change of bad)
    assert.throws(() => renderRules({ ...policy, ...change }), RangeError, JSON.stringify(change));
});

function assertHarmless(changed: NetworkPolicy): void {
  let rules: ReturnType<typeof renderRules>;
  try {
    rules = renderRules(changed);
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return;
  }
  for (const rule of [...rules.v4.in, ...rules.v4.out]) assert.match(rule, harmless);
  assert.match(rules.bridge, /^[a-z0-9-]+$/);
}
