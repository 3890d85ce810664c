// A small world of network namespaces for tests of the firewall: `h` the machine with the bots'
// bridge, `a` and `b` two bots, `w` everything else. It has no link to any real network, and is
// gone afterwards.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { NetworkPolicy } from '../../packages/server/src/agent/network/rules.ts';
import { installPackages } from '../../packages/server/src/core/lib/apt-get.ts';
import { runProgram } from '../../packages/server/src/core/lib/program.ts';

export type Place = 'h' | 'a' | 'b' | 'w';

export interface Target {
  protocol: 'tcp' | 'udp' | 'icmp';
  address: string;
  port?: number;
  /** Source address, when it is not the usual one. */
  from?: string;
  /** Source port of UDP, when it is not any free one: two targets with the same one are one flow
   * for the kernel. */
  fromPort?: number;
}

const subnet = '172.30.0.0/24';
export const resolver = '10.255.0.53';
export const internet = '203.0.113.10';
/** What the world has beside the internet: everything that is private, or pretends to be near. */
export const closedAddresses = ['169.254.169.254', '10.9.8.7', '192.168.7.7', '100.64.0.9', '172.20.1.1', '198.18.0.9'];
/** Addresses of the machine itself: of its bridge, of its way out, and another one. */
export const hostAddresses = ['172.30.0.1', '198.51.100.1', '10.77.0.1'];
export const botAddresses = { a: '172.30.0.2', b: '172.30.0.3' };
export const v6 = { host: ['fd00:30::1', '2001:db8:1::1'], b: 'fd00:30::3', world: '2001:db8:10::10' };
/** A source address that is not a bot's, and to which the world would answer. */
export const foreignSource = '10.66.0.1';
/** A port of the machine that leads to the internet's port 80. */
export const publishedPort = 8080;

const programs = [
  { paths: ['/usr/sbin/ip', '/sbin/ip'], package: 'iproute2' },
  { paths: ['/usr/bin/busybox', '/bin/busybox'], package: 'busybox-static' },
  { paths: ['/usr/sbin/sysctl', '/sbin/sysctl'], package: 'procps' },
  { paths: ['/usr/sbin/iptables', '/sbin/iptables'], package: 'iptables' },
];
const probes = join(import.meta.dirname, 'probes');

/** What the firewall told at a look. */
export interface Look {
  fault: string | null;
  reports: { level: string; repaired: string[] }[];
}

export class NamespaceWorld {
  readonly bridge: string;
  readonly #suffix = randomBytes(4).toString('hex');
  readonly #children: ChildProcess[] = [];

  private constructor() {
    this.bridge = `bt${this.#suffix}0`;
  }

  static async open(): Promise<NamespaceWorld> {
    const missing = programs.filter(({ paths }) => !paths.some(existsSync)).map((program) => program.package);
    if (missing.length > 0) await installPackages(missing);
    const world = new NamespaceWorld();
    try {
      await world.#build();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const names = (await runProgram('ip', ['netns', 'list'])).map((line) => line.split(' ')[0] ?? '');
    for (const name of names) if (name.endsWith(this.#suffix)) await runProgram('ip', ['netns', 'delete', name]);
  }

  /** Runs a program in a namespace; words as in a shell without quotes. */
  async run(place: Place, command: string): Promise<string[]> {
    return runProgram('ip', ['netns', 'exec', this.#name(place), ...command.split(' ')]);
  }

  /** Which of the targets answer to somebody in this namespace. */
  async dial(place: Place, targets: Target[]): Promise<Target[]> {
    const dialer = [process.execPath, join(probes, 'dialer.js'), JSON.stringify(targets)];
    const [line = ''] = await runProgram('ip', ['netns', 'exec', this.#name(place), ...dialer]);
    const answers = JSON.parse(line) as boolean[];
    return targets.filter((_, index) => answers[index]);
  }

  /** Starts the production firewall in `h`; each call is one look. A second one does not keep the
   * rules. */
  startFirewall(policy: Partial<NetworkPolicy>, variant: string, isSecond = false): () => Promise<Look> {
    const whole = { bridge: this.bridge, subnet, resolvers: [resolver], blocked: [], allowed: [], ...policy };
    const options = JSON.stringify({ policy: whole, variant, isSecond });
    const { child, lines } = this.#spawn('h', [join(probes, 'firewall-keeper.ts'), options]);
    return async () => {
      child.stdin?.write('look\n');
      const [line] = await once(lines, 'line');
      return JSON.parse(line as string) as Look;
    };
  }

  /** Makes the bridge, with the ports of the bots. */
  async makeBridge(): Promise<void> {
    await this.run('h', `ip link add ${this.bridge} type bridge`);
    for (const place of ['a', 'b']) await this.run('h', `ip link set port-${place} master ${this.bridge} up`);
    await this.#address('h', this.bridge, ['172.30.0.1/24', 'fd00:30::1/64']);
    await this.run('h', `ip route add ${foreignSource} dev ${this.bridge}`);
  }

  async #build(): Promise<void> {
    for (const place of ['h', 'a', 'b', 'w'] as const) {
      await runProgram('ip', ['netns', 'add', this.#name(place)]);
      await this.run(place, 'ip link set lo up');
    }
    await this.run('h', 'sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1');
    for (const place of ['a', 'b'] as const) await this.#addBot(place);
    await this.makeBridge();
    await this.run('h', `ip link add uplink type veth peer name eth0 netns ${this.#name('w')}`);
    await this.#address('h', 'uplink', ['198.51.100.1/24', '2001:db8:1::1/64']);
    await this.#address('w', 'eth0', ['198.51.100.2/24', '2001:db8:1::2/64']);
    await this.#address('h', 'lo', ['10.77.0.1/32']);
    const worldAddresses = [internet, resolver, ...closedAddresses].map((address) => `${address}/32`);
    await this.#address('w', 'lo', [...worldAddresses, `${v6.world}/128`]);
    await this.run('h', 'ip route add default via 198.51.100.2');
    await this.run('h', 'ip -6 route add default via 2001:db8:1::2');
    for (const range of [subnet, foreignSource]) await this.run('w', `ip route add ${range} via 198.51.100.1`);
    await this.run('w', 'ip -6 route add fd00:30::/64 via 2001:db8:1::1');
    await this.#serve('w', [internet, resolver, ...closedAddresses, v6.world]);
    await this.#serve('h', [...hostAddresses, ...v6.host]);
    await this.#serve('a', [botAddresses.a]);
    await this.#serve('b', [botAddresses.b, v6.b]);
  }

  async #addBot(place: 'a' | 'b'): Promise<void> {
    await this.run('h', `ip link add port-${place} type veth peer name eth0 netns ${this.#name(place)}`);
    const number = place === 'a' ? 2 : 3;
    await this.#address(place, 'eth0', [`172.30.0.${number}/24`, `fd00:30::${number}/64`]);
    if (place === 'a') await this.#address(place, 'eth0', [`${foreignSource}/32`]);
    await this.run(place, 'ip route add default via 172.30.0.1');
    await this.run(place, 'ip -6 route add default via fd00:30::1');
  }

  async #address(place: Place, device: string, addresses: string[]): Promise<void> {
    await this.run(place, `ip link set ${device} up`);
    for (const address of addresses) {
      const options = address.includes(':') ? ' nodad' : '';
      await this.run(place, `ip address add ${address} dev ${device}${options}`);
    }
  }

  async #serve(place: Place, addresses: string[]): Promise<void> {
    const words = addresses.flatMap((address) => [address, '53', address, '80']);
    const { lines } = this.#spawn(place, [join(probes, 'echo.js'), ...words]);
    const [line] = await once(lines, 'line');
    assert.equal(line, 'ready');
  }

  #spawn(place: Place, words: string[]): { child: ChildProcess; lines: Interface } {
    const child = spawn('ip', ['netns', 'exec', this.#name(place), process.execPath, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#children.push(child);
    return { child, lines: createInterface({ input: child.stdout }) };
  }

  #name(place: Place): string {
    return `botel-${place}-${this.#suffix}`;
  }
}
