// Where a request comes from, as far as proxies that are trusted say it. Must not know what it is used for.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Proxies before the server; `none` of them is asked when the list is empty. */
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

  /** What has no address comes from this machine, by a socket file. */
  trusts(address: string): boolean {
    if (!isIP(address)) return address === '';
    // A socket without one is of this machine.
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** The last address that no trusted proxy has; a text that is none, and what stands before it, counts for nothing. */
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
