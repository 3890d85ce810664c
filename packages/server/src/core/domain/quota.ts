// What a plan allows and what a bot's memory buys. Pure arithmetic.

/** The plan that every account starts with. */
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
  /** Whether its bots may have a network at all. */
  internet: boolean;
  /** OCI runtime of its bots and builds, as the engine knows it; null: the install's. */
  containerRuntime: string | null;
  /** Bandwidth of each of its bots, Mbit/s in either direction; null: no limit. */
  networkMbit: number | null;
}

/** Bytes in what is called MB here. */
export const mebibyte = 1024 * 1024;

/** Smallest memory of a bot, in MB. */
export const memoryMinMb = 128;

/** 1 vCPU per 512 MB of memory, not rounded. */
export function vcpuOf(memoryMb: number): number {
  return memoryMb / 512;
}

/** MB that are left of `limitMb` when `usedMb` are reserved by other bots; never negative. */
export function availableMb(limitMb: number, usedMb: number): number {
  return Math.max(0, limitMb - usedMb);
}

/** Files and folders that a bot may have per MB of disk. */
const filesPerMb = 64;
const filesMin = 4096;

/** Files and folders that a bot with so much disk may have. */
export function filesLimit(diskMb: number): number {
  return Math.max(filesMin, diskMb * filesPerMb);
}

/** What a bot has on the disk: bytes, and files and folders. */
export interface DiskUse {
  bytes: number;
  files: number;
}

export type DiskLevel = 'warning' | 'full';

const warningPart = 0.8;
/** A bot is not stopped for what it writes between two counts, unless it is a lot more. */
const stopPart = 1.1;

/** What its owner should know of the disk; null = nothing. */
export function diskLevel(use: DiskUse, diskMb: number): DiskLevel | null {
  const part = takenPart(use, diskMb);
  if (part >= 1) return 'full';
  return part >= warningPart ? 'warning' : null;
}

/** Whether a bot may not be started. */
export function isOverLimit(use: DiskUse, diskMb: number): boolean {
  return takenPart(use, diskMb) > 1;
}

/** Whether a running bot takes so much that it has to be stopped. */
export function mustStop(use: DiskUse, diskMb: number): boolean {
  return takenPart(use, diskMb) > stopPart;
}

/** Whether a bot is nearer to its limit of files than to that of bytes. */
export function isOfFiles({ bytes, files }: DiskUse, diskMb: number): boolean {
  return files / filesLimit(diskMb) > bytes / (diskMb * mebibyte);
}

/** Of bytes or of files, whichever is nearer to its limit. */
function takenPart(use: DiskUse, diskMb: number): number {
  return isOfFiles(use, diskMb) ? use.files / filesLimit(diskMb) : use.bytes / (diskMb * mebibyte);
}
