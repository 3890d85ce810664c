// The calls that create a backup, in order. A bot that should be stopped for it is stopped first
// and started again afterwards.
import { call, create, read } from '../api/calls.ts';

export type BackupStep = 'stop' | 'store' | 'start';

interface Wanted {
  name: string;
  /** The bot is online and should be stopped during the backup. */
  stops: boolean;
}

/** Long polls for the end of a bot: enough for the longest grace period. */
const waitSeconds = 60;
const maxWaits = 6;

/** `onStep` reports each step. Rejects with ApiError; the bot is started again in any case. */
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
