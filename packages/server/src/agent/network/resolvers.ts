// Which name servers this machine, and with it the engine, tells containers to ask. IPv4 only: bots
// have nothing else.
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Addresses of the first file that names one that a container could reach; [] when none does. */
export async function machineResolvers(): Promise<string[]> {
  for (const file of files) {
    const found = nameServers(await readFile(file, 'utf8').catch(() => ''));
    if (found.length > 0) return found;
  }
  return [];
}

/** Name servers of a resolv.conf; those on the loopback are this machine's only, and left out. */
export function nameServers(text: string): string[] {
  const addresses = text.split('\n').map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? '');
  return [...new Set(addresses.filter((address) => isIPv4(address) && !address.startsWith('127.')))];
}
