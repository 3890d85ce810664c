// What the banner above a bot's console says of its last end, and the one thing that helps most. Pure.
import type { BotData, ExitData } from '@botel/contract/bots';

/** What the banner offers besides a start. */
export type Advice = 'memory' | 'env' | 'files' | null;

const adviceOf: Record<string, Advice> = {
  oom: 'memory',
  heap: 'memory',
  discord_token: 'env',
  telegram_token: 'env',
  disk_full: 'files',
  module_node: 'files',
  module_python: 'files',
  module_go: 'files',
  esm_cjs: 'files',
  syntax: 'files',
  file_missing: 'files',
  install: 'files',
  jar_manifest: 'files',
};

/** The end that the banner tells of; null where the bot is as its owner wants it. */
export function endToTell(bot: BotData): ExitData | null {
  if (bot.status !== 'offline' || bot.last_exit === null) return null;
  const { reason } = bot.last_exit;
  return bot.status_reason === null || reason === 'stopped' || reason === 'killed' ? null : bot.last_exit;
}

export function adviceFor(end: ExitData): Advice {
  return end.oom ? 'memory' : (adviceOf[end.hint?.code ?? ''] ?? null);
}

const headlines = [
  'crashed',
  'exited',
  'oom',
  'start_failed',
  'install_failed',
  'crash_loop',
  'vanished',
  'disk_full',
] as const;

/** Key of the first words of the banner. */
export function headlineOf(bot: Pick<BotData, 'status_reason'>): `exit.${(typeof headlines)[number]}` | 'exit.other' {
  const reason = headlines.find((each) => each === bot.status_reason);
  return reason ? `exit.${reason}` : 'exit.other';
}
