// The client address of a request, as reported by trusted proxies.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** The trusted proxies; an empty list trusts none. */
export class TrustedProxies {
  readonly #trusted = new BlockList();

  /** Addresses and ranges: `192.0.2.1`, `2001:db8::/32`. */
  constructor(proxies: string[]) {
    for (const proxy of proxies) {
      const [address = '', prefix] = proxy.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /** A peer without an address is on this machine, connected by a Unix socket. */
  trusts(address: string): boolean {
    if (!isIP(address)) return address === '';
    // A peer without an address is on this machine.
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Whether a trusted proxy received the request over https. */
  saysHttps({ socket, headers }: IncomingMessage): boolean {
    return headers['x-forwarded-proto'] === 'https' && this.trusts(socket.remoteAddress ?? '');
  }

  /** The last address that is no trusted proxy. Ignores invalid text and all before it. */
  addressOf({ socket, headers }: IncomingMessage): string {
    const forwarded = headers['x-forwarded-for'];
    let address = socket.remoteAddress ?? '';
    if (forwarded === undefined || !this.trusts(address)) return address;
    const hops = String(forwarded).split(',');
    for (let hop = hops.pop()?.trim(); hop !== undefined && isIP(hop); hop = hops.pop()?.trim()) {
      address = hop;
      if (!this.trusts(address)) break;
    }
    return address;
  }
}
