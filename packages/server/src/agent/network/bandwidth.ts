// Limits how fast a container sends and receives, by the kernel's token buckets at both ends of its
// link: received traffic at the port of the bridge, sent traffic in its own network namespace. The
// container has no right to change either.
import { readdir, readFile } from 'node:fs/promises';
import { runProgram, systemPath } from '../../core/lib/program.ts';
import { deviceName } from './rules.ts';

/** Name of the container's end of its link. */
const inside = 'eth0';
const deadlineMs = 10_000;

/**
 * Limits both directions of a process's network to `mbit` Mbit/s. False when it has no link to this
 * bridge, or is gone. Rejects with ProgramError where the machine lacks tc, nsenter or the kernel
 * module.
 */
export async function limitBandwidth(bridge: string, processId: number, mbit: number): Promise<boolean> {
  const port = await portOf(bridge, processId);
  if (!port) return false;
  const options = { environment: { PATH: systemPath }, signal: AbortSignal.timeout(deadlineMs) };
  await runProgram('tc', bucket(port, mbit), options);
  await runProgram('nsenter', [`--net=/proc/${processId}/ns/net`, 'tc', ...bucket(inside, mbit)], options);
  return true;
}

/** Arguments of tc. The bucket holds 10 ms of traffic at the rate, and at least a few packets. */
export function bucket(device: string, mbit: number): string[] {
  if (!Number.isInteger(mbit) || mbit < 1 || mbit > 100_000) throw new RangeError('a bandwidth is not valid');
  const bytes = Math.max(32_768, mbit * 1_250);
  const rate = ['rate', `${mbit}mbit`, 'burst', `${bytes}b`, 'latency', '50ms'];
  return ['qdisc', 'replace', 'dev', deviceName(device), 'root', 'tbf', ...rate];
}

/** The bridge port of the process's link; null when there is none. */
async function portOf(bridge: string, processId: number): Promise<string | null> {
  // The container's own view: its sysfs is read-only, so the container can't replace it.
  const peer = await readOrEmpty(`/proc/${processId}/root/sys/class/net/${inside}/iflink`);
  if (!/^\d+$/.test(peer)) return null;
  const ports = await readdir(`/sys/class/net/${deviceName(bridge)}/brif`).catch((): string[] => []);
  for (const port of ports) if ((await readOrEmpty(`/sys/class/net/${port}/ifindex`)) === peer) return port;
  return null;
}

/** Processes and their links can disappear at any moment. */
async function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}
