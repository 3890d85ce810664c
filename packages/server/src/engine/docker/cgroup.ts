// Reads what the kernel's control groups say of a container, versions 1 and 2, both cgroup drivers of the engine.
// Must not ask the engine (its statistics take a second).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Mount point of the control groups. */
export const cgroupRoot = '/sys/fs/cgroup';

/** Highest memory use so far in bytes; null when the group is gone or the kernel does not count it. */
export async function memoryPeakBytes(containerId: string, root = cgroupRoot): Promise<number | null> {
  for (const path of peakFiles(containerId)) {
    const text = await readIfThere(join(root, path));
    if (text === null) continue;
    const bytes = Number(text.trim());
    return Number.isSafeInteger(bytes) ? bytes : null;
  }
  return null;
}

/** Below the mount point: version 2 with systemd and cgroupfs drivers, then version 1. */
function peakFiles(containerId: string): string[] {
  const groups = [`system.slice/docker-${containerId}.scope`, `docker/${containerId}`];
  return [
    ...groups.map((group) => `${group}/memory.peak`),
    ...groups.map((group) => `memory/${group}/memory.max_usage_in_bytes`),
  ];
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENODEV: the group went away between open and read.
    if (code === 'ENOENT' || code === 'ENODEV' || code === 'ENOTDIR') return null;
    throw error;
  }
}
