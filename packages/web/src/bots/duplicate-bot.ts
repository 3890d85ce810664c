// Copies a bot by way of a backup, which becomes a new bot with the same files, variables and
// settings and is then deleted.
import type { BackupData } from '@botel/contract/backups';
import type { BotData, CreatedBotData } from '@botel/contract/bots';
import { call, create } from '../api/calls.ts';

export const copySteps = ['backup', 'create', 'clean', 'start'] as const;
export type CopyStep = (typeof copySteps)[number];

export interface CopyRequest {
  name: string;
  /** MB */
  memory: number;
  starts: boolean;
}

/**
 * Resolves with the new bot's id; `report` gets each step. Rejects with ApiError; the backup is
 * deleted in any case.
 */
export async function duplicateBot(
  { id, name }: BotData,
  request: CopyRequest,
  report: (step: CopyStep) => void,
): Promise<string> {
  report('backup');
  // Backup names are unique per bot.
  const mark = crypto.randomUUID().slice(0, 8);
  const backup = (await create<BackupData>(`/bots/${id}/backups`, { name: `${name.slice(0, 48)} copy ${mark}` })).data;
  let botId: string;
  try {
    report('create');
    const body = { backup_id: backup.id, name: request.name, memory: request.memory };
    botId = (await create<CreatedBotData>('/bots/create-from-backup', body)).data.id;
  } finally {
    report('clean');
    await call('POST', '/backups/delete', { backup_id: backup.id });
  }
  if (request.starts) {
    report('start');
    await call('POST', '/bots/start', { bot_id: botId });
  }
  return botId;
}

/** `name-copy`, `name-copy-2` and so on, the first that is free; at most 64 characters. */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '-copy' : `-copy-${number}`;
    const free = name.slice(0, 64 - ending.length) + ending;
    if (!taken.has(free)) return free;
  }
}
