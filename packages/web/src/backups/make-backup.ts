// The calls that make a backup, in their order: a bot that is to stand still meanwhile is stopped first and started again after.
import { call, create, read } from '../api/calls.ts';

export type BackupStep = 'stop' | 'store' | 'start';

interface Wanted {
  name: string;
  /** The bot runs, and is to stand still while its files are read. */
  stops: boolean;
}

/** A wait for the end of a bot; asked again for as long as its grace may be. */
const waitSeconds = 60;
const maxWaits = 6;

/** `onStep` is told what begins. Rejects with ApiError; the bot is started again all the same. */
export async function makeBackup(
  botId: string,
  { name, stops }: Wanted,
  onStep: (step: BackupStep) => void,
): Promise<{ message?: string }> {
  if (stops) {
    onStep('stop');
    await call('POST', '/bots/stop', { bot_id: botId });
  }
  try {
    if (stops) await untilOffline(botId);
    onStep('store');
    return await create(`/bots/${botId}/backups`, { name });
  } finally {
    if (stops) {
      onStep('start');
      await call('POST', '/bots/start', { bot_id: botId });
    }
  }
}

async function untilOffline(botId: string): Promise<void> {
  for (let waits = 0; waits < maxWaits; waits++) {
    const { reached } = await read<{ reached: boolean }>(`/bots/${botId}/wait?status=offline&timeout=${waitSeconds}`);
    if (reached) return;
  }
}
