// Limits of plans, and what a bot's memory and disk entitle it to. Pure arithmetic.

/** The initial plan of every account. */
export const defaultPlanId = 'default';

/** A quota. Memory in MB (1 MB = 1,048,576 bytes); `bots` is a count. */
export interface Plan {
  id: string;
  name: string;
  memoryMb: number;
  bots: number;
  diskMb: number;
  apps: number;
  uploadMb: number;
  /** Whether its bots may have a network. */
  internet: boolean;
  /** OCI runtime of its bots and builds, as the engine names it; null = the install's default. */
  containerRuntime: string | null;
  /** Bandwidth of each of its bots, in Mbit/s per direction; null = unlimited. */
  networkMbit: number | null;
}

/** Room in an owner's plan for a bot that is being created. */
export interface Reservation {
  botId: string;
  ownerId: string;
  memoryMb: number;
}

/** Bytes in what Botel calls a MB. */
export const mebibyte = 1024 * 1024;

/** Disk of all bots that a plan allows, in MB; all of their backups may take as much again. */
export function planDiskMb({ diskMb, bots }: Pick<Plan, 'diskMb' | 'bots'>): number {
  return diskMb * bots;
}

/** Minimum memory of a bot, in MB. */
export const memoryMinMb = 128;

/** 1 vCPU per 512 MB of memory, not rounded. */
export function vcpuOf(memoryMb: number): number {
  return memoryMb / 512;
}

/** MB left of `limitMb` after `usedMb`; never negative. */
export function availableMb(limitMb: number, usedMb: number): number {
  return Math.max(0, limitMb - usedMb);
}

/** Files and folders per MB of disk. */
const filesPerMb = 64;
const filesMin = 4096;

/** Limit of files and folders for a disk of this size. */
export function filesLimit(diskMb: number): number {
  return Math.max(filesMin, diskMb * filesPerMb);
}

/** Disk usage of a bot: bytes, and number of files and folders. */
export interface DiskUse {
  bytes: number;
  files: number;
}

export type DiskLevel = 'warning' | 'full';

const warningPart = 0.8;
/** A bot is stopped only well above its limit, since usage is counted at intervals. */
const stopPart = 1.1;

/** The disk level to report to the owner; null = none. */
export function diskLevel(use: DiskUse, diskMb: number): DiskLevel | null {
  const part = takenPart(use, diskMb);
  if (part >= 1) return 'full';
  return part >= warningPart ? 'warning' : null;
}

/** Whether usage is too high to start the bot. */
export function isOverLimit(use: DiskUse, diskMb: number): boolean {
  return takenPart(use, diskMb) > 1;
}

/** Whether usage is so high that a running bot must be stopped. */
export function mustStop(use: DiskUse, diskMb: number): boolean {
  return takenPart(use, diskMb) > stopPart;
}

/** Whether the file count is closer to its limit than the bytes are. */
export function isOfFiles({ bytes, files }: DiskUse, diskMb: number): boolean {
  return files / filesLimit(diskMb) > bytes / (diskMb * mebibyte);
}

/** The larger used fraction, of bytes or of files. */
function takenPart(use: DiskUse, diskMb: number): number {
  return isOfFiles(use, diskMb) ? use.files / filesLimit(diskMb) : use.bytes / (diskMb * mebibyte);
}
