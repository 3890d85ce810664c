// The kernel's switches that keep the ports of a bridge apart, whatever the firewall allows, and
// the one that passes bridged packets to the firewall at all.
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { deviceName } from './rules.ts';

const devices = '/sys/class/net';
/** Not the IPv6 switch: other bridges may carry virtual machines, isolated ports need neither. */
const filterSwitch = '/proc/sys/net/bridge/bridge-nf-call-iptables';

export function bridgeExists(bridge: string): boolean {
  return existsSync(`${devices}/${deviceName(bridge)}/bridge`);
}

/** Names of the ports, and those that can reach other ports; none when there is no such bridge. */
export async function readBridgePorts(bridge: string): Promise<{ ports: string[]; unisolated: string[] }> {
  const ports = await readdir(`${devices}/${deviceName(bridge)}/brif`).catch(ignoreGone<string[]>([]));
  const flags = await Promise.all(ports.map((port) => readFile(flagOf(port), 'utf8').catch(ignoreGone('1'))));
  return { ports, unisolated: ports.filter((_, index) => flags[index]?.trim() !== '1') };
}

/** Isolates all ports of the bridge; returns what it found. Rejects where that is not permitted. */
export async function isolatePorts(bridge: string): Promise<{ ports: string[]; unisolated: string[] }> {
  const found = await readBridgePorts(bridge);
  await Promise.all(found.unisolated.map((port) => writeFile(flagOf(port), '1').catch(ignoreGone(undefined))));
  return found;
}

/** The switch that passes bridged packets to the firewall, when it is off or missing; else null. */
export async function closedSwitch(): Promise<string | null> {
  const value = await readFile(filterSwitch, 'utf8').catch(() => '');
  return value.trim() === '1' ? null : filterSwitch;
}

export async function openSwitch(): Promise<void> {
  if (await closedSwitch()) await writeFile(filterSwitch, '1');
}

const flagOf = (port: string) => `${devices}/${port}/brport/isolated`;

/** Ports come and go with containers at any moment; a kernel before 4.18 has no such flag. */
function ignoreGone<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENODEV') return value;
    throw error;
  };
}
