// The programs that create, mount and grow file systems in image files, and their requirements of
// the machine. Their arguments are Botel's own paths and integers.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mebibyte } from '../../core/domain/quota.ts';
import { ProgramError, runProgram, systemPath } from '../../core/lib/program.ts';
import { canGiveAway } from './ownership.ts';

const blockBytes = 4096;
const inodeBytes = 256;
/** Minimum of ext4. */
const journalMb = 4;
/** Group tables and the kernel's reserve; at most half of a file system can be reserved. */
const otherBytes = 4 * mebibyte;
const options = { environment: { PATH: systemPath } };

/** The capacity that an image is created for. */
export interface ImageSize {
  /** Bytes that users other than root may take. */
  limitBytes: number;
  /** Maximum number of files and folders. */
  files: number;
}

/**
 * Size of the image file in bytes. Room for everything twice: a restore is staged beside the
 * current files. The second half is reserved for root (`reserve`), so that nobody else gets it;
 * blocks that are never written take no space.
 */
export function imageBytes({ limitBytes, files }: ImageSize): number {
  const ownBytes = files * inodeBytes + journalMb * mebibyte + otherBytes;
  return Math.ceil((2 * limitBytes + ownBytes) / mebibyte) * mebibyte;
}

/** Creates an ext4 file system in a file of the right length. */
export async function makeFileSystem(image: string, { files }: ImageSize): Promise<void> {
  const layout = `-b ${blockBytes} -I ${inodeBytes} -N ${files} -m 0 -J size=${journalMb}`.split(' ');
  // Tables that were never written stay holes in the file. The journal must not: on a full machine
  // holes can't be written, and a file system without its journal is read-only.
  await run('mkfs.ext4', ['-q', '-F', ...layout, '-E', 'lazy_itable_init=1,lazy_journal_init=0,nodiscard', image]);
}

/** Mounts the image at the folder; a damaged file system is repaired where that loses nothing. */
export async function mountImage(image: string, folder: string): Promise<void> {
  const args = ['-t', 'ext4', '-o', 'loop,nosuid,nodev,discard,noinit_itable', image, folder];
  try {
    await run('mount', args);
  } catch {
    await repair(image);
    await run('mount', args);
  }
}

/** Repairs an unmounted file system where that loses nothing; rejects otherwise. */
export async function repair(image: string, { force = false } = {}): Promise<void> {
  try {
    await run('e2fsck', ['-p', ...(force ? ['-f'] : []), image]);
  } catch (error) {
    // 1: errors were corrected.
    if (!(error instanceof ProgramError && error.code === 1)) throw error;
  }
}

/** Rejects while files in it are open. */
export async function unmount(folder: string): Promise<void> {
  await run('umount', [folder]);
}

/** Limits users other than root to `limitBytes` of the image mounted at the folder. */
export async function reserve(image: string, folder: string, limitBytes: number): Promise<void> {
  const device = await deviceOf(folder);
  if (!device) throw new Error('A home is not mounted');
  await run('tune2fs', ['-r', '0', device]);
  const { blocks, bfree, bavail } = await statfs(folder);
  // Used space counts too: the limit is for the whole home. Not all of a disk can be reserved.
  const open = bavail + (blocks - bfree);
  const most = Math.floor((await stat(image)).size / blockBytes / 2);
  const reserved = Math.min(open - Math.floor(limitBytes / blockBytes), most);
  await run('tune2fs', ['-r', String(Math.max(0, reserved)), device]);
}

/** Grows an unmounted file system to the new length of its image file. */
export async function growFileSystem(image: string): Promise<void> {
  await repair(image, { force: true });
  await run('resize2fs', [image]);
}

/** Whether a loop device still has the image open. */
export async function isAttached(image: string): Promise<boolean> {
  return (await run('losetup', ['--associated', image])).length > 0;
}

/** The device mounted at the folder; null when none is. */
async function deviceOf(folder: string): Promise<string | null> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' '));
  const at = folder.replace(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const mount = mounts.findLast((fields) => fields[4] === at);
  return mount?.[mount.indexOf('-') + 2] ?? null;
}

/** Why this machine can't mount images, as far as visible without trying; null when it can. */
export async function imageFault(): Promise<string | null> {
  if (!canGiveAway) return 'Botel is not root';
  if (!existsSync('/dev/loop-control')) return 'this machine has no loop devices';
  for (const name of ['mkfs.ext4', 'e2fsck', 'resize2fs', 'tune2fs', 'mount', 'umount', 'losetup']) {
    const isFound = systemPath.split(':').some((folder) => existsSync(`${folder}/${name}`));
    if (!isFound) return `there is no program ${name}`;
  }
  const [own, first] = await Promise.all([namespaceOf('self'), namespaceOf('1')]);
  if (own !== null && first !== null && own !== first)
    return 'Botel has mounts of its own, which the engine does not see';
  return null;
}

function namespaceOf(process: string): Promise<string | null> {
  // Inside a container the first process may be invisible.
  return readlink(`/proc/${process}/ns/mnt`).catch(() => null);
}

function run(program: string, args: readonly string[]): Promise<string[]> {
  return runProgram(program, args, options);
}

/** Like imageFault, but creates and mounts an image below the folder, which is left as it was. */
export async function tryImages(directory: string): Promise<string | null> {
  const fault = await imageFault();
  if (fault !== null) return fault;
  const folder = await mkdtemp(join(directory, 'try-'));
  const [image, at] = [join(folder, 'image'), join(folder, 'at')];
  const size = { limitBytes: mebibyte, files: 128 };
  try {
    await mkdir(at);
    await writeFile(image, '');
    await truncate(image, imageBytes(size));
    await makeFileSystem(image, size);
    await mountImage(image, at);
    await unmount(at);
    return null;
  } catch (error) {
    const lines = error instanceof ProgramError ? error.lines : [];
    return `an image can't be mounted: ${[(error as Error).message, ...lines.slice(-1)].join(', ')}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether new homes get images. Rejects where the settings require it and this machine can't. */
export async function canMakeImages(diskQuota: 'auto' | 'soft' | 'loop', dataDirectory: string): Promise<boolean> {
  if (diskQuota === 'soft') return false;
  const fault = await tryImages(dataDirectory);
  if (fault !== null && diskQuota === 'loop') throw new Error(`BOTEL_DISK_QUOTA is loop, but ${fault}`);
  return fault === null;
}
