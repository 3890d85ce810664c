// Temporary folders, each owned by a living process; those of dead processes are removed.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Calls `work` with a new folder below `parent` and removes it afterwards. */
export async function withWorkDirectory<T>(parent: string, work: (directory: string) => Promise<T>): Promise<T> {
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, `${process.pid}-`));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes the folders below `parent` whose processes are gone; those in use stay. */
export async function removeAbandonedWork(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (isAlive(Number.parseInt(name, 10))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EBUSY' && error.code !== 'ENOTEMPTY') throw error;
    });
  }
}

function isAlive(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
