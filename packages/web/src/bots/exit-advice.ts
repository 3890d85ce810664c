// What the banner above a console says about the last exit, and the most helpful action. Pure.
import type { BotData, ExitData } from '@botel/contract/bots';
import type { StatusReason } from '@botel/contract/vocabulary';

/** What the banner offers besides Start. */
export type Advice = 'memory' | 'env' | 'files' | null;

const adviceOf: Record<string, Advice> = {
  oom: 'memory',
  heap: 'memory',
  discord_token: 'env',
  telegram_token: 'env',
  disk_full: 'files',
  esm_cjs: 'files',
  syntax: 'files',
  file_missing: 'files',
  jar_manifest: 'files',
};

/** The exit to report; null if the bot is in its desired state. */
export function endToTell(bot: BotData): ExitData | null {
  if (bot.status !== 'offline' || bot.last_exit === null) return null;
  const { reason } = bot.last_exit;
  return bot.status_reason === null || reason === 'stopped' || reason === 'killed' ? null : bot.last_exit;
}

export function adviceFor(end: ExitData): Advice {
  if (end.oom) return 'memory';
  const code = end.hint?.code ?? '';
  // A package is missing, in whatever language.
  return code.startsWith('module_') ? 'files' : (adviceOf[code] ?? null);
}

const headlines = [
  'crashed',
  'exited',
  'oom',
  'start_failed',
  'build_failed',
  'crash_loop',
  'vanished',
  'disk_full',
] as const satisfies readonly StatusReason[];

/** Text key of the banner's title. */
export function headlineOf(bot: Pick<BotData, 'status_reason'>): `exit.${(typeof headlines)[number]}` | 'exit.other' {
  const reason = headlines.find((each) => each === bot.status_reason);
  return reason ? `exit.${reason}` : 'exit.other';
}
