// When the machine's own disks count as filling up and as full. Pure.

/** Bytes or files of a file system: taken, and free for everybody. */
export interface Filling {
  used: number;
  free: number;
}

/** Percent of a file system. */
export interface StorageMarks {
  warnPercent: number;
  /** From here on new work is refused. */
  refusePercent: number;
}

export type StorageLevel = 'ok' | 'warning' | 'full';

const height: Record<StorageLevel, number> = { ok: 0, warning: 1, full: 2 };

export function percentUsed({ used, free }: Filling): number {
  return used + free > 0 ? (100 * used) / (used + free) : 0;
}

export function storageLevel(filling: Filling, marks: StorageMarks): StorageLevel {
  const percent = percentUsed(filling);
  if (percent >= marks.refusePercent) return 'full';
  return percent >= marks.warnPercent ? 'warning' : 'ok';
}

/** The highest of several; `ok` of none. */
export function worst(levels: readonly StorageLevel[]): StorageLevel {
  return levels.reduce((one, other) => (height[other] > height[one] ? other : one), 'ok');
}
