// The name servers that the engine gives to containers. IPv4 only: bots have nothing else.
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Addresses from the first file with one that a container could reach; [] when there is none. */
export async function machineResolvers(): Promise<string[]> {
  for (const file of files) {
    const found = nameServers(await readFile(file, 'utf8').catch(() => ''));
    if (found.length > 0) return found;
  }
  return [];
}

/** Name servers of a resolv.conf, without those on the loopback, which containers can't reach. */
export function nameServers(text: string): string[] {
  const addresses = text.split('\n').map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? '');
  return [...new Set(addresses.filter((address) => isIPv4(address) && !address.startsWith('127.')))];
}
