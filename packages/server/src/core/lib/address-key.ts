// The key under which an address is counted: IPv4, or the /64 of IPv6, usually of one customer.
import { isIPv4, isIPv6 } from 'node:net';

/** `192.0.2.1`, `2001:db8:0:0` (the first 64 bits), or `unknown` for invalid text. */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return 'unknown';
  const plain = address.split('%', 1)[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = plain.split('::', 2);
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => 0);
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** An IPv4 address at the end counts as two groups. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
