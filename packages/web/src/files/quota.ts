// The disk usage of a bot, and whether to warn. Pure.
import type { BotData } from '@botel/contract/bots';
import { badFrom, warnFrom } from '../kit/meter-levels.ts';

export interface Quota {
  /** null = not counted yet. */
  usedBytes: number | null;
  limitBytes: number;
  /** Number of files and folders, only where that is near its own limit. */
  files: { used: number; limit: number } | null;
  state: 'fine' | 'warn' | 'bad';
}

export function quotaOf({ disk, usage }: Pick<BotData, 'disk' | 'usage'>): Quota {
  // The newer of the two: metrics arrive more often than the bot is refetched.
  const usedBytes = usage?.disk_used_bytes ?? disk.used_bytes;
  const part = (used: number | null, limit: number) => (used !== null && limit > 0 ? used / limit : 0);
  const ofFiles = part(disk.used_files, disk.limit_files);
  const highest = Math.max(part(usedBytes, disk.limit_bytes), ofFiles);
  return {
    usedBytes,
    limitBytes: disk.limit_bytes,
    files: ofFiles >= warnFrom ? { used: disk.used_files ?? 0, limit: disk.limit_files } : null,
    state: highest >= badFrom ? 'bad' : highest >= warnFrom ? 'warn' : 'fine',
  };
}
