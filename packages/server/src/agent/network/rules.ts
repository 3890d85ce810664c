// The firewall's iptables rules for bots. Pure: the same text for the same policy. Every value is
// validated again, so that nothing but addresses, numbers and a device name gets into a rule.
import { isIPv4 } from 'node:net';
import { sha256 } from '../../core/lib/ids.ts';

/** The destinations open to bots. Addresses are IPv4; ranges are `a.b.c.d/n`. */
export interface NetworkPolicy {
  /** Device of the bots' bridge. */
  bridge: string;
  /** Range of the bots' own addresses. */
  subnet: string;
  /** Name servers: port 53 is open to them wherever they are. */
  resolvers: readonly string[];
  /** Closed ranges. */
  blocked: readonly string[];
  /** Exceptions from `blocked`. */
  allowed: readonly AllowedUpstream[];
}

export interface AllowedUpstream {
  range: string;
  /** Null: all ports. */
  port: { protocol: 'tcp' | 'udp'; number: number } | null;
}

/** Rules of both chains, in order, without the leading `-A <chain>`. */
export interface Chains {
  /** Traffic from bots to the machine itself. */
  in: string[];
  /** Traffic from bots to anywhere else. */
  out: string[];
}

export interface RuleSet {
  bridge: string;
  v4: Chains;
  v6: Chains;
  /** Twelve hex digits, the same for the same rules. */
  hash: string;
}

export type Family = 'v4' | 'v6';

/** Private and special ranges: everything that is not on the internet (RFC 6890). */
export const privateRanges: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Throws a RangeError when a value of the policy is invalid. */
export function renderRules(policy: NetworkPolicy): RuleSet {
  const bridge = deviceName(policy.bridge);
  const subnet = range(policy.subnet);
  const v4 = { in: inRules(subnet, policy), out: outRules(subnet, policy) };
  // Bots have no IPv6 address; the bridge gets one by itself.
  const v6 = { in: ['-j DROP'], out: ['-j DROP'] };
  const hash = sha256(JSON.stringify([bridge, v4, v6])).slice(0, 12);
  return { bridge, v4, v6, hash };
}

function inRules(subnet: string, { resolvers }: NetworkPolicy): string[] {
  return [
    `! -s ${subnet} -j DROP`,
    // Answers to connections from the machine itself: the gateway connects to bots. Without the
    // direction, a flow that a bot began while the rules were missing would stay open for as long
    // as the kernel remembers it.
    '-m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j ACCEPT',
    ...resolvers.flatMap((resolver) => toResolver(resolver, 'ACCEPT')),
    '-j DROP',
  ];
}

function outRules(subnet: string, { resolvers, blocked, allowed }: NetworkPolicy): string[] {
  return [
    `! -s ${subnet} -j DROP`,
    // Other bots stay unreachable, whatever else is allowed.
    `-d ${subnet} -j DROP`,
    ...resolvers.flatMap((resolver) => toResolver(resolver, 'RETURN')),
    // Published ports of this machine, under whichever of its addresses they were dialled.
    '-m conntrack --ctstate DNAT -j DROP',
    ...allowed.map((target) => `-d ${range(target.range)} ${portOf(target)}-j RETURN`),
    ...blocked.map((closed) => `-d ${range(closed)} -j DROP`),
  ];
}

function toResolver(resolver: string, verdict: 'ACCEPT' | 'RETURN'): string[] {
  if (!isIPv4(resolver)) throw new RangeError('a resolver is not an IPv4 address');
  return ['udp', 'tcp'].map((protocol) => `-d ${resolver}/32 -p ${protocol} -m ${protocol} --dport 53 -j ${verdict}`);
}

function portOf({ port }: AllowedUpstream): string {
  if (!port) return '';
  const { protocol, number } = port;
  const isKnown = protocol === 'tcp' || protocol === 'udp';
  if (!isKnown || !Number.isInteger(number) || number < 1 || number > 65_535)
    throw new RangeError('a port is not valid');
  return `-p ${protocol} -m ${protocol} --dport ${number} `;
}

function range(text: string): string {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (!isIPv4(address) || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32 || rest.length > 0)
    throw new RangeError('a range of addresses is not valid');
  return `${address}/${Number(prefix)}`;
}

/** The kernel's own limit is 15 bytes. */
export function deviceName(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,14}$/.test(text)) throw new RangeError('the name of the bridge is not valid');
  return text;
}
