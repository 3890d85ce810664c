// When the machine's disks count as filling up and as full. Pure.

/** Bytes or files of a file system: used, and available to unprivileged users. */
export interface Filling {
  used: number;
  free: number;
}

/** Percentages of a file system. */
export interface StorageMarks {
  warnPercent: number;
  /** New work is refused from here on. */
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

/** The highest level; `ok` for an empty list. */
export function worst(levels: readonly StorageLevel[]): StorageLevel {
  return levels.reduce((one, other) => (height[other] > height[one] ? other : one), 'ok');
}
