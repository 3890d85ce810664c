// Reads a container's control groups (versions 1 and 2, both cgroup drivers) and network counters
// from the kernel: the engine's own statistics take a second.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerUsage } from '../engine.ts';

/** Files of a container's group below the mount point, one layout per cgroup version and driver. */
interface Layout {
  version: 1 | 2;
  /** Path of the group, below its controller in version 1. */
  group(containerId: string): string;
}

const drivers = [
  (containerId: string) => `system.slice/docker-${containerId}.scope`,
  (containerId: string) => `docker/${containerId}`,
];
const layouts: Layout[] = ([2, 1] as const).flatMap((version) => drivers.map((group) => ({ version, group })));

export class ControlGroups {
  readonly #root: string;
  readonly #processes: string;
  /** The layout of the last container found: all containers of a machine have the same. */
  #known: Layout | null = null;

  /** The mount points of the control groups and of the process file system. */
  constructor(root = '/sys/fs/cgroup', processes = '/proc') {
    this.#root = root;
    this.#processes = processes;
  }

  /** Highest memory use in bytes; null when the group is gone or the kernel doesn't count it. */
  async memoryPeakBytes(containerId: string): Promise<number | null> {
    for (const layout of layouts) {
      const text = await this.#read(layout, containerId, 'memory', peakFile[layout.version]);
      if (text !== null) return numberOf(text);
    }
    return null;
  }

  /** Processes and threads of the container; null when its group is gone or can't count them. */
  async processes(containerId: string): Promise<number | null> {
    for (const layout of this.#known ? [this.#known] : layouts) {
      const text = await this.#read(layout, containerId, 'pids', 'pids.current');
      if (text !== null) return numberOf(text);
    }
    return null;
  }

  /** Resource usage of the container; null when its group is gone. */
  async usage(containerId: string): Promise<ContainerUsage | null> {
    for (const layout of this.#known ? [this.#known] : layouts) {
      const usage = await this.#usageIn(layout, containerId);
      if (!usage) continue;
      this.#known = layout;
      return usage;
    }
    return null;
  }

  /** Id of a process of the container; null when it does not run. */
  async processOf(containerId: string): Promise<number | null> {
    for (const layout of layouts) {
      const members = await this.#read(layout, containerId, 'memory', 'cgroup.procs');
      if (members) return firstProcess(members);
    }
    return null;
  }

  async #usageIn(layout: Layout, containerId: string): Promise<ContainerUsage | null> {
    const isOld = layout.version === 1;
    const read = (controller: string, file: string) => this.#read(layout, containerId, controller, file);
    const memory = await read('memory', isOld ? 'memory.usage_in_bytes' : 'memory.current');
    if (memory === null) return null;
    const [cpu, detail, peak, pids, members] = await Promise.all([
      isOld ? read('cpuacct', 'cpuacct.usage') : read('cpu', 'cpu.stat'),
      read('memory', 'memory.stat'),
      read('memory', peakFile[layout.version]),
      read('pids', 'pids.current'),
      read('memory', 'cgroup.procs'),
    ]);
    const cpuMicros = isOld ? (numberOf(cpu) ?? Number.NaN) / 1000 : valueOf(cpu, 'usage_usec');
    const used = numberOf(memory);
    if (used === null || cpuMicros === null || Number.isNaN(cpuMicros)) return null;
    const idle = valueOf(detail, isOld ? 'total_inactive_file' : 'inactive_file') ?? 0;
    // All processes of a container share its network.
    const first = members === null ? null : firstProcess(members);
    const network = first === null ? null : await readIfThere(join(this.#processes, String(first), 'net/dev'));
    return {
      cpuMicros: Math.floor(cpuMicros),
      memoryBytes: Math.max(0, used - idle),
      memoryPeakBytes: numberOf(peak),
      pids: numberOf(pids),
      ...networkBytes(network),
    };
  }

  #read(layout: Layout, containerId: string, controller: string, file: string): Promise<string | null> {
    const group = layout.group(containerId);
    return readIfThere(join(this.#root, layout.version === 1 ? controller : '', group, file));
  }
}

const peakFile = { 1: 'memory.max_usage_in_bytes', 2: 'memory.peak' } as const;

const firstProcess = (members: string) => numberOf(members.slice(0, members.indexOf('\n')));

/** Sums of the counters in `/proc/<pid>/net/dev`, without the loopback. */
function networkBytes(text: string | null): { netRxBytes: number | null; netTxBytes: number | null } {
  if (text === null) return { netRxBytes: null, netTxBytes: null };
  let [netRxBytes, netTxBytes] = [0, 0];
  for (const line of text.split('\n').slice(2)) {
    const [name = '', rest = ''] = line.split(':');
    if (rest === '' || name.trim() === 'lo') continue;
    const fields = rest.trim().split(/ +/);
    netRxBytes += Number(fields[0]);
    netTxBytes += Number(fields[8]);
  }
  return { netRxBytes, netTxBytes };
}

/** Parses a whole number; null when the text is not one. */
function numberOf(text: string | null): number | null {
  return text !== null && /^\d+\s*$/.test(text) ? Number(text) : null;
}

/** The number after `name ` at the start of a line; null when there is none. */
function valueOf(text: string | null, name: string): number | null {
  return numberOf(new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1] ?? null);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENODEV: the group disappeared between open and read; EINVAL and ESRCH: the process did.
    if (['ENOENT', 'ENODEV', 'ENOTDIR', 'EINVAL', 'ESRCH'].includes(code ?? '')) return null;
    throw error;
  }
}
