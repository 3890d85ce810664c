// Faults found in a listed table, and the change that repairs it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRules } from './rules.ts';
import { applyRules, hashInForce, ownChains, parseTable, removeRules, tableFaults } from './table.ts';

const set = renderRules({
  bridge: 'botel0',
  subnet: '172.18.0.0/16',
  resolvers: [],
  blocked: ['10.0.0.0/8'],
  allowed: [],
});
const tag = `botel:install-1:${set.hash}`;
const jump = (chain: string, device = 'botel0', mark = tag) =>
  `-i ${device} -m comment --comment "${mark}" -j BOTEL-${chain}-${device}`;
const bare = `# made by an engine
*filter
:INPUT ACCEPT [12:34]
:FORWARD DROP [0:0]
:DOCKER-USER - [0:0]
-A FORWARD -j DOCKER-USER
-A FORWARD -i docker0 -j ACCEPT
-A DOCKER-USER -j RETURN
COMMIT
`;

function listing({
  input = [jump('IN')],
  user = [jump('OUT'), '-j RETURN'],
  out = set.v4.out,
  forward = ['-j DOCKER-USER'],
} = {}) {
  const chain = (name: string, rules: string[]) => rules.map((rule) => `-A ${name} ${rule}`);
  return parseTable(
    [
      '*filter',
      ':INPUT ACCEPT [0:0]',
      ':FORWARD DROP [0:0]',
      ':DOCKER-USER - [0:0]',
      ':BOTEL-IN-botel0 - [0:0]',
      ':BOTEL-OUT-botel0 - [0:0]',
      ...chain('INPUT', input),
      ...chain('FORWARD', forward),
      ...chain('DOCKER-USER', user),
      ...chain('BOTEL-IN-botel0', set.v4.in),
      ...chain('BOTEL-OUT-botel0', out),
      'COMMIT',
    ].join('\n'),
  );
}

test('the change for a machine without rules', () => {
  assert.equal(
    applyRules(parseTable(bare), set, 'v4', tag),
    `*filter
:BOTEL-IN-botel0 - [0:0]
:BOTEL-OUT-botel0 - [0:0]
-A BOTEL-IN-botel0 ! -s 172.18.0.0/16 -j DROP
-A BOTEL-IN-botel0 -m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j ACCEPT
-A BOTEL-IN-botel0 -j DROP
-A BOTEL-OUT-botel0 ! -s 172.18.0.0/16 -j DROP
-A BOTEL-OUT-botel0 -d 172.18.0.0/16 -j DROP
-A BOTEL-OUT-botel0 -m conntrack --ctstate DNAT -j DROP
-A BOTEL-OUT-botel0 -d 10.0.0.0/8 -j DROP
-I INPUT 1 ${jump('IN')}
-I DOCKER-USER 1 ${jump('OUT')}
COMMIT
`,
  );
  assert.equal(removeRules(parseTable(bare), 'botel0'), null);
});

test('jumps of before are taken out exactly as they are listed, those of other networks are not', () => {
  const table = listing({ input: [jump('IN', 'other0'), jump('IN', 'botel0', 'botel:other:abc'), jump('IN')] });
  const change = applyRules(table, set, 'v4', tag).split('\n');
  assert.deepEqual(
    change.filter((line) => line.startsWith('-D')),
    [`-D INPUT ${jump('IN', 'botel0', 'botel:other:abc')}`, `-D INPUT ${jump('IN')}`, `-D DOCKER-USER ${jump('OUT')}`],
  );
  assert.deepEqual(removeRules(listing(), 'botel0')?.split('\n').slice(1, -2), [
    `-D INPUT ${jump('IN')}`,
    `-D DOCKER-USER ${jump('OUT')}`,
    '-F BOTEL-IN-botel0',
    '-F BOTEL-OUT-botel0',
    '-X BOTEL-IN-botel0',
    '-X BOTEL-OUT-botel0',
  ]);
});

test('a table that is right, whoever of the same settings made it', () => {
  assert.deepEqual(tableFaults(listing(), set, 'v4', null), []);
  assert.deepEqual(tableFaults(listing(), set, 'v4', ownChains(listing(), 'botel0')), []);
  const others = listing({ input: [jump('IN', 'other0'), jump('IN', 'botel0', `botel:install-2:${set.hash}`)] });
  assert.deepEqual(tableFaults(others, set, 'v4', null), []);
  assert.equal(hashInForce(others, 'botel0'), set.hash);
  assert.equal(hashInForce(parseTable(bare), 'botel0'), null);
});

test('everything that may be wrong', () => {
  const known = ownChains(listing(), 'botel0');
  const faults = (parts: Parameters<typeof listing>[0]) => tableFaults(listing(parts), set, 'v4', known);
  assert.deepEqual(tableFaults(parseTable(bare), set, 'v4', known), [
    'v4: the chains are missing',
    'v4: nothing leads from INPUT into BOTEL-IN-botel0',
    'v4: nothing leads from DOCKER-USER into BOTEL-OUT-botel0',
  ]);
  assert.deepEqual(faults({ out: [...set.v4.out.slice(0, -1), '-d 10.0.0.0/9 -j DROP'] }), [
    'v4: the rules in the chains were changed',
  ]);
  assert.deepEqual(faults({ input: ['-j ACCEPT', jump('IN')] }), [
    'v4: INPUT has other rules before the jump into BOTEL-IN-botel0',
  ]);
  assert.deepEqual(faults({ input: [jump('IN', 'botel0', 'botel:install-1:0123')] }), [
    'v4: the rules are of other settings',
  ]);
  assert.deepEqual(faults({ user: ['-j ACCEPT', jump('OUT')] }), [
    'v4: DOCKER-USER has other rules before the jump into BOTEL-OUT-botel0',
  ]);
  assert.deepEqual(faults({ forward: ['-i botel0 -j ACCEPT', '-j DOCKER-USER'] }), [
    'v4: nothing leads from FORWARD into BOTEL-OUT-botel0',
  ]);
});

test('a jump that looks like ours but is not is left alone', () => {
  const strangers = ['-i botel0 -j BOTEL-IN-botel0', jump('IN').replace('botel:', 'x:'), `${jump('IN')}-2`];
  const change = applyRules(listing({ input: strangers, user: [] }), set, 'v4', tag);
  assert.ok(!change.includes('-D '), change);
});

test('only a tag of the right form is written', () => {
  for (const bad of ['botel:a b:0', 'botel:x:0"\n-A INPUT -j ACCEPT', 'x', 'botel:x:zz'])
    assert.throws(() => applyRules(parseTable(bare), set, 'v4', bad), RangeError);
});
