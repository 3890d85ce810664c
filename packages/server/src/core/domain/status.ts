// A bot's status and what a lifecycle call may do, computed from wish and observation. Pure; status is stored nowhere.
import type { Bot, Desired, Exit, ExitReason, Observed, Phase, Wish } from './bot.ts';

export type Status = 'offline' | 'starting' | 'online' | 'stopping';
export type StatusReason =
  | Exclude<ExitReason, 'stopped' | 'killed' | 'interrupted'>
  | 'crash_loop'
  | 'suspended'
  | 'engine_unavailable';

/** What status needs to know of a bot. */
export interface BotState {
  wish: Pick<Wish, 'desired' | 'generation'>;
  observed: Pick<Observed, StatusFact> & { lastExit: Pick<Exit, 'reason'> | null };
}

type StatusFact =
  | 'runState'
  | 'runGeneration'
  | 'runKind'
  | 'checkPath'
  | 'containerId'
  | 'failures'
  | 'retryAt'
  | 'phase';

/** Failures in a row from which a bot counts as caught in a crash loop. */
export const crashLoopFailures = 5;

/** The table of api.md section 6. */
export function statusOf({ wish, observed }: BotState): Status {
  if (wish.desired !== 'running') {
    return mayHaveContainer({ wish, observed }) && !isReinstalling({ wish, observed }) ? 'stopping' : 'offline';
  }
  if (observed.runGeneration !== wish.generation) return 'starting';
  if (observed.runState === 'running')
    return observed.runKind === 'bot' && observed.checkPath === null ? 'online' : 'starting';
  return observed.runState === 'ended' ? 'offline' : 'starting';
}

/** True unless the reconciler has seen that no container of the bot exists. */
export function mayHaveContainer({ observed }: BotState): boolean {
  return observed.containerId !== null || observed.runState === 'creating' || observed.runState === 'running';
}

/** A build of a bot that nobody started: its owner asked for it. */
export function isReinstalling({ wish, observed }: BotState): boolean {
  return wish.desired === 'stopped' && observed.runKind === 'build' && observed.runGeneration === wish.generation;
}

/** Why the bot is not what its owner wished; null when there is nothing to explain. */
export function statusReasonOf(
  bot: BotState & Partial<Pick<Bot, 'suspension'>>,
  engineAvailable: boolean,
): StatusReason | null {
  const isSuspended = (bot.suspension ?? null) !== null;
  if (isSuspended && statusOf(bot) === 'offline') return 'suspended';
  if (!engineAvailable) return 'engine_unavailable';
  const { wish, observed } = bot;
  if (statusOf(bot) !== 'offline' || !observed.lastExit) return null;
  if (wish.desired !== 'running' && !isReinstalling(bot)) return null;
  if (observed.failures >= crashLoopFailures) return 'crash_loop';
  const reason = observed.lastExit.reason;
  return reason === 'stopped' || reason === 'killed' || reason === 'interrupted' ? null : reason;
}

/** What is being done for the bot; a wait that was called off is none. */
export function phaseOf({ wish, observed }: BotState): Phase | null {
  return observed.phase === 'waiting' && wish.desired !== 'running' ? null : observed.phase;
}

/** Whether the next attempt of a wished bot waits for its time. */
export function isWaiting(bot: BotState): boolean {
  return bot.wish.desired === 'running' && statusOf(bot) === 'offline' && bot.observed.retryAt !== null;
}

/** Answer to a lifecycle request in the present state: the new wish, nothing to do, or the conflict's code. */
export type Disposition =
  | { kind: 'wish'; desired: Desired }
  | { kind: 'nothing' }
  | {
      kind: 'conflict';
      code: 'bot_already_online' | 'bot_already_starting' | 'bot_already_offline' | 'bot_stopping' | 'bot_not_offline';
    };

export function startDisposition(bot: BotState): Disposition {
  switch (statusOf(bot)) {
    case 'offline':
      return { kind: 'wish', desired: 'running' };
    case 'starting':
      return { kind: 'conflict', code: 'bot_already_starting' };
    case 'online':
      return { kind: 'conflict', code: 'bot_already_online' };
    case 'stopping':
      return { kind: 'conflict', code: 'bot_stopping' };
  }
}

export function restartDisposition(bot: BotState): Disposition {
  return statusOf(bot) === 'stopping'
    ? { kind: 'conflict', code: 'bot_stopping' }
    : { kind: 'wish', desired: 'running' };
}

export function stopDisposition(bot: BotState): Disposition {
  const status = statusOf(bot);
  if (status === 'stopping') return { kind: 'nothing' };
  // An offline bot that is still wished (waiting, or ended and not retried) has a wish to take back.
  if (status === 'offline' && !isWaiting(bot)) return { kind: 'conflict', code: 'bot_already_offline' };
  return { kind: 'wish', desired: 'stopped' };
}

export function killDisposition(bot: BotState): Disposition {
  const status = statusOf(bot);
  if (status === 'offline' && !isWaiting(bot)) return { kind: 'conflict', code: 'bot_already_offline' };
  return { kind: 'wish', desired: 'stopped' };
}

export function reinstallDisposition(bot: BotState): Disposition {
  return statusOf(bot) === 'offline' ? { kind: 'nothing' } : { kind: 'conflict', code: 'bot_not_offline' };
}

export function deleteDisposition(bot: BotState, force: boolean): Disposition {
  if (statusOf(bot) !== 'offline' && !force) return { kind: 'conflict', code: 'bot_not_offline' };
  return { kind: 'wish', desired: 'deleted' };
}
