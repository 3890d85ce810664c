// The firewall of bots, proved in network namespaces of the test's own: what a bot reaches and what
// it does not, and that every way of opening the network is found and closed again by the code that
// does it in production.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { privateRanges } from '../../packages/server/src/agent/network/rules.ts';
import {
  botAddresses,
  closedAddresses,
  foreignSource,
  hostAddresses,
  internet,
  type Look,
  NamespaceWorld,
  publishedPort,
  resolver,
  type Target,
  v6,
} from './namespace-world.ts';

/** The way in which an engine may have set the machine up, and the two kinds of iptables. */
const grounds = [
  { name: 'iptables-nft, the chain of the engine', variant: '-nft', hasUserChain: true },
  { name: 'iptables-legacy, without the chain of the engine', variant: '-legacy', hasUserChain: false },
];
const allowed = [
  { range: '10.9.8.7/32', port: { protocol: 'tcp' as const, number: 80 } },
  { range: '192.168.7.0/24', port: null },
];

for (const { name, variant, hasUserChain } of grounds) {
  describe(`a firewall by ${name}`, () => {
    let world: NamespaceWorld;
    let look: () => Promise<Look>;
    const iptables = (words: string) => world.run('h', `iptables${variant} ${words}`);
    const ip6tables = (words: string) => world.run('h', `ip6tables${variant} ${words}`);

    before(async () => {
      world = await NamespaceWorld.open();
      if (hasUserChain) {
        await iptables('-N DOCKER-USER');
        await iptables('-A DOCKER-USER -j RETURN');
        await iptables('-A FORWARD -j DOCKER-USER');
      }
      await iptables('-A FORWARD -j ACCEPT');
      await iptables('-A INPUT -j ACCEPT');
      await iptables(
        `-t nat -A PREROUTING -d ${hostAddresses[1]} -p tcp --dport ${publishedPort} -j DNAT --to ${internet}:80`,
      );
      look = world.startFirewall({ blocked: privateRanges }, variant);
    });
    after(() => world[Symbol.asyncDispose]());

    test('without it a bot reaches everything', async () => {
      await assertReached(world, 'a', [...everything(), ...fromForeignSource()]);
      await assertReached(world, 'a', flowsToMachine());
    });

    test('with it the internet and the name server, and nothing else', async () => {
      const { fault, reports } = await look();
      assert.equal(fault, null);
      assert.deepEqual(
        reports.map(({ level }) => level),
        ['info'],
      );
      assert.deepEqual(texts(await world.dial('a', flowsToMachine())), [], 'what began before it ends');
      await assertClosed(world);
      assert.deepEqual(await look(), { fault: null, reports: [] }, 'a second look changes nothing');
    });

    test('the machine still reaches a bot, which answers and begins nothing', async () => {
      await assertReached(world, 'h', [...of(botAddresses.a, 80), ...of(botAddresses.b, 80)]);
    });

    const { a: portA, b: portB } = { a: 'port-a', b: 'port-b' };
    const isolated = (port: string) => `/sys/class/net/${port}/brport/isolated`;
    const mutations: { what: string; mutate: () => Promise<unknown>; found: RegExp }[] = [
      {
        what: 'a flushed chain',
        mutate: () => iptables(`-F BOTEL-OUT-${world.bridge}`),
        found: /v4: the rules .* changed/,
      },
      {
        what: 'a removed rule',
        mutate: () => iptables(`-D BOTEL-OUT-${world.bridge} -d 169.254.0.0/16 -j DROP`),
        found: /v4: the rules .* changed/,
      },
      {
        what: 'a rule replaced by another one',
        mutate: () => iptables(`-R BOTEL-IN-${world.bridge} 1 -j ACCEPT`),
        found: /v4: the rules .* changed/,
      },
      {
        what: 'a rule before the jump in INPUT',
        mutate: () => iptables('-I INPUT 1 -j ACCEPT'),
        found: /v4: INPUT has other/,
      },
      { what: 'a rule before the jump in FORWARD', mutate: () => iptables('-I FORWARD 1 -j ACCEPT'), found: /FORWARD/ },
      {
        what: 'everything flushed',
        mutate: async () => (await iptables('-F'), await iptables('-X')),
        found: /chains are missing/,
      },
      { what: 'IPv6 flushed', mutate: () => ip6tables('-F'), found: /v6: / },
      {
        what: 'an open port of the bridge',
        mutate: () => world.run('h', `bridge link set dev ${portA} isolated off`),
        found: /port-a was not isolated/,
      },
      {
        what: 'bridged packets hidden from the firewall',
        mutate: () => world.run('h', 'sysctl -qw net.bridge.bridge-nf-call-iptables=0'),
        found: /bridge-nf-call-iptables is not 1/,
      },
    ];
    for (const { what, mutate, found } of mutations) {
      test(`found and put right: ${what}`, async (t) => {
        await mutate();
        const began = performance.now();
        const { fault, reports } = await look();
        t.diagnostic(`${what}: put right by one look in ${Math.round(performance.now() - began)} ms`);
        assert.equal(fault, null);
        assert.equal(reports.length, 1);
        assert.equal(reports[0]?.level, 'warn');
        assert.match(reports[0]?.repaired.join('\n') ?? '', found);
        await assertClosed(world);
        assert.deepEqual(await look(), { fault: null, reports: [] });
        for (const port of [portA, portB]) assert.deepEqual(await world.run('h', `cat ${isolated(port)}`), ['1']);
      });
    }

    test('a second Botel of the same network: with the same settings all is well, with others it starts no bot', async () => {
      const same = world.startFirewall({ blocked: privateRanges }, variant, true);
      assert.equal((await same()).fault, null);
      const other = world.startFirewall({ blocked: [] }, variant, true);
      assert.match((await other()).fault ?? '', /^Another Botel with other settings keeps the network/);
      await assertClosed(world);
      assert.deepEqual(await look(), { fault: null, reports: [] }, 'the first one has nothing to put right');
    });

    test('without its bridge no bot may start; a bridge that is made anew is closed', async () => {
      await world.run('h', `ip link delete ${world.bridge}`);
      assert.equal((await look()).fault, `This machine has no bridge ${world.bridge}`);
      await world.makeBridge();
      const { fault, reports } = await look();
      assert.equal(fault, null);
      assert.deepEqual(
        reports.map(({ level }) => level),
        ['warn'],
      );
      await assertClosed(world);
    });

    test('other settings: named addresses are open, to the port that was named', async () => {
      const withExceptions = world.startFirewall({ blocked: privateRanges, allowed }, variant);
      assert.equal((await withExceptions()).fault, null);
      const open = [{ protocol: 'tcp' as const, address: '10.9.8.7', port: 80 }, ...of('192.168.7.7', 80)];
      await assertOnlyReached(world, [...open, ...of('192.168.7.7', 53), ...openTargets()]);
    });
  });
}

/** All protocols to a port of the address. */
function of(address: string, port: number): Target[] {
  return [
    { protocol: 'tcp', address, port },
    { protocol: 'udp', address, port },
    { protocol: 'icmp', address },
  ];
}

function everything(): Target[] {
  const addresses = [internet, resolver, ...closedAddresses, ...hostAddresses, botAddresses.b];
  const all = [...addresses, ...v6.host, v6.b, v6.world].flatMap((address) => [...of(address, 80), ...of(address, 53)]);
  const published: Target = { protocol: 'tcp', address: hostAddresses[1] ?? '', port: publishedPort };
  const unique = new Map([...all, published].map((target) => [textOf(target), target]));
  return [...unique.values()];
}

function openTargets(): Target[] {
  return [...of(internet, 80), ...of(internet, 53), ...of(resolver, 53).slice(0, 2)];
}

/** To the machine's own addresses, each always from the same port: the kernel remembers such a flow
 * for half a minute. */
const flowsToMachine = () =>
  hostAddresses.map((address, index): Target => ({ protocol: 'udp', address, port: 80, fromPort: 20_001 + index }));
const fromForeignSource = () => of(internet, 80).map((target) => ({ ...target, from: foreignSource }));

const assertClosed = (world: NamespaceWorld) => assertOnlyReached(world, openTargets());

/** Whoever is open answers in the end, also on a busy machine; nobody else answers while all of
 * them are asked. */
async function assertOnlyReached(world: NamespaceWorld, open: Target[]): Promise<void> {
  const expected = new Set(texts(open));
  const closed = [...everything(), ...fromForeignSource()].filter((target) => !expected.has(textOf(target)));
  assert.deepEqual(texts(await world.dial('a', closed)), []);
  await assertReached(world, 'a', open);
}

async function assertReached(world: NamespaceWorld, place: 'a' | 'h', targets: Target[]): Promise<void> {
  let left = targets;
  for (let round = 0; round < 5 && left.length > 0; round++) {
    const answered = new Set(texts(await world.dial(place, left)));
    left = left.filter((target) => !answered.has(textOf(target)));
  }
  assert.deepEqual(texts(left), [], 'no answer');
}

const texts = (targets: Target[]) => targets.map(textOf);
const textOf = ({ protocol, address, port, from }: Target) =>
  [protocol, address, ...(protocol === 'icmp' ? [] : [port]), ...(from ? [`from ${from}`] : [])].join(' ');
