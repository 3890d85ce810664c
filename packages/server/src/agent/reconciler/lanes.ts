// Which workers take a step: short ones check every bot and do what must never wait behind starts
// (stops, kills, records of ends); what may take long is shared out by owner in lanes of its own.
import type { Bot } from '../../core/domain/bot.ts';
import type { Lane } from '../../core/lib/keyed-queue.ts';
import type { Step } from './decide.ts';

/** `start`: reads the project, prepares the home, starts. `purge`: deletes files. */
export type StepLane = 'check' | 'start' | 'purge';

export const lanes: Record<StepLane, Lane> = {
  check: { workers: 32, perOwner: 16 },
  start: { workers: 32, perOwner: 8 },
  purge: { workers: 8, perOwner: 2 },
};

/** Null: any worker may take the step. */
export function laneOf(step: Step, bot: Bot): StepLane | null {
  switch (step.kind) {
    case 'begin':
    case 'create':
    case 'start':
      return 'start';
    case 'record_end':
      return needsResultKey(bot, step.observation.exitCode) ? 'start' : null;
    case 'purge':
      return 'purge';
    default:
      return null;
  }
}

/** Reads the project again after a build whose result is still desired. */
function needsResultKey(bot: Bot, exitCode: number | null): boolean {
  return bot.observed.runKind === 'build' && exitCode === 0 && isCurrentRun(bot);
}

/** Whether the newest run belongs to the current desired state. */
export function isCurrentRun({ desired, observed }: Bot): boolean {
  return observed.runGeneration === desired.generation;
}
