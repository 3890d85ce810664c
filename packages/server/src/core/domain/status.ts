// A bot's status and the decisions of lifecycle calls, from desired and observed state. Pure.
import type { BotStatus, Phase, StatusReason } from '@botel/contract/vocabulary';
import { type Bot, type Desired, type DesiredState, type Exit, type Observed, runMemoryMb } from './bot.ts';

/** The parts of a bot that its status depends on. */
export interface BotState {
  desired: Pick<DesiredState, 'state' | 'generation'>;
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

/** Consecutive failures that make a crash loop. */
export const crashLoopFailures = 5;

/** Implements the table in docs/specification.md. */
export function statusOf({ desired, observed }: BotState): BotStatus {
  if (desired.state !== 'running') {
    return mayHaveContainer({ desired, observed }) && !isReinstalling({ desired, observed }) ? 'stopping' : 'offline';
  }
  if (observed.runGeneration !== desired.generation) return 'starting';
  if (observed.runState === 'running')
    return observed.runKind === 'bot' && observed.checkPath === null ? 'online' : 'starting';
  return observed.runState === 'ended' ? 'offline' : 'starting';
}

/** True unless the reconciler observed that the bot has no container. */
export function mayHaveContainer({ observed }: BotState): boolean {
  return observed.containerId !== null || observed.runState === 'creating' || observed.runState === 'running';
}

/** Memory in MB that a bot holds: its setting, or that of its run until the container is gone. */
export function heldMemoryMb(bot: Bot): number {
  return mayHaveContainer(bot) ? Math.max(bot.memoryMb, runMemoryMb(bot)) : bot.memoryMb;
}

/** Whether a build that the owner requested runs for a bot that is not started. */
export function isReinstalling({ desired, observed }: BotState): boolean {
  return desired.state === 'stopped' && observed.runKind === 'build' && observed.runGeneration === desired.generation;
}

/** Why the bot is not in its desired state; null when nothing needs explaining. */
export function statusReasonOf(
  bot: BotState & Partial<Pick<Bot, 'suspension'>>,
  engineAvailable: boolean,
): StatusReason | null {
  const isSuspended = (bot.suspension ?? null) !== null;
  if (isSuspended && statusOf(bot) === 'offline') return 'suspended';
  if (!engineAvailable) return 'engine_unavailable';
  const { desired, observed } = bot;
  if (statusOf(bot) !== 'offline' || !observed.lastExit) return null;
  if (desired.state !== 'running' && !isReinstalling(bot)) return null;
  if (observed.failures >= crashLoopFailures) return 'crash_loop';
  const reason = observed.lastExit.reason;
  return reason === 'stopped' || reason === 'killed' || reason === 'interrupted' ? null : reason;
}

/** The current phase; a cancelled wait has none. */
export function phaseOf({ desired, observed }: BotState): Phase | null {
  return observed.phase === 'waiting' && desired.state !== 'running' ? null : observed.phase;
}

/** Whether the bot waits for its next attempt. */
export function isWaiting(bot: BotState): boolean {
  return bot.desired.state === 'running' && statusOf(bot) === 'offline' && bot.observed.retryAt !== null;
}

/** A new desired state, nothing to do, or a conflict. */
export type LifecycleDecision =
  | { kind: 'accept'; desired: Desired }
  | { kind: 'nothing' }
  | {
      kind: 'conflict';
      code: 'bot_already_online' | 'bot_already_starting' | 'bot_already_offline' | 'bot_stopping' | 'bot_not_offline';
    };

export function decideStart(bot: BotState): LifecycleDecision {
  switch (statusOf(bot)) {
    case 'offline':
      return { kind: 'accept', desired: 'running' };
    case 'starting':
      return { kind: 'conflict', code: 'bot_already_starting' };
    case 'online':
      return { kind: 'conflict', code: 'bot_already_online' };
    case 'stopping':
      return { kind: 'conflict', code: 'bot_stopping' };
  }
}

export function decideRestart(bot: BotState): LifecycleDecision {
  return statusOf(bot) === 'stopping'
    ? { kind: 'conflict', code: 'bot_stopping' }
    : { kind: 'accept', desired: 'running' };
}

export function decideStop(bot: BotState): LifecycleDecision {
  const status = statusOf(bot);
  if (status === 'stopping') return { kind: 'nothing' };
  // An offline bot that waits for its next attempt can still be stopped.
  if (status === 'offline' && !isWaiting(bot)) return { kind: 'conflict', code: 'bot_already_offline' };
  return { kind: 'accept', desired: 'stopped' };
}

export function decideKill(bot: BotState): LifecycleDecision {
  const status = statusOf(bot);
  if (status === 'offline' && !isWaiting(bot)) return { kind: 'conflict', code: 'bot_already_offline' };
  return { kind: 'accept', desired: 'stopped' };
}

export function decideReinstall(bot: BotState): LifecycleDecision {
  return statusOf(bot) === 'offline' ? { kind: 'nothing' } : { kind: 'conflict', code: 'bot_not_offline' };
}

export function decideDelete(bot: BotState, force: boolean): LifecycleDecision {
  if (statusOf(bot) !== 'offline' && !force) return { kind: 'conflict', code: 'bot_not_offline' };
  return { kind: 'accept', desired: 'deleted' };
}
