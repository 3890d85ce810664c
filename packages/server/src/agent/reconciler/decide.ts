// The one decision of the reconciler: from a bot (desired state and record) and a look at its
// container to the next single step. Pure: no time but `now`, no randomness, no calls. Every state
// that can be met has an answer here.
import type { Bot, StopReason } from '../../core/domain/bot.ts';
import { checkDeadlineMs, isHealthy } from '../../core/domain/health.ts';
import { isReinstalling } from '../../core/domain/status.ts';
import type { Observation } from '../engine/engine.ts';
import type { HttpAnswer } from '../../core/lib/http-probe.ts';

/** Longest time between the begin of a run and its program running, without making images. */
export const startDeadlineMs = 60_000;
/** Longest time that a run waits for its image; the making goes on, and the next run finds what
 * came of it. */
export const pullingDeadlineMs = 600_000;
/** How long after the end of grace the engine's own SIGKILL is waited for. */
const stopSlackMs = 2_000;
const lookAgainMs = 500;
/** The longest that a bot may be given, and a caller may ask for. */
const longestGraceMs = 300_000;
/** Ends are stamped by the engine: by so much its clock may differ from ours. */
const clockSlackMs = 1_000;

/** What else the decision depends on. Times are ms since the epoch. */
export interface Facts {
  now: number;
  /** Since when the engine answers: time without an engine is not held against a bot. */
  engineSince: number;
  /** Longest time that a build may take. */
  buildLimitMs: number;
  /** Botel is ending and takes its bots down until its next start. */
  closing: boolean;
  /** What the present run answered last to the question for its health. */
  answer: HttpAnswer | null;
  /** Why a bot whose desired state is running must not keep running. */
  mustStop: StopReason | null;
}

export type BeginCause = 'user' | 'retry' | 'built' | 'reinstall';

export type Step =
  /** Nothing to do until something changes. */
  | { kind: 'rest' }
  /** The desired run is up: rest, with its log followed; `until` is when a build's time is over. */
  | { kind: 'watch'; containerId: string; until: number | null }
  | { kind: 'wait'; until: number }
  /** Opens the next run in the record, and why: a user's call, a retry, a build that is done, or
   * one that was asked for. */
  | { kind: 'begin'; cause: BeginCause }
  /** Makes the container of the present run; the image first where it is missing. */
  | { kind: 'create' }
  | { kind: 'start'; containerId: string }
  | { kind: 'record_running'; observation: Observation }
  /** The present run is reached elsewhere than was recorded. */
  | { kind: 'record_address'; address: string | null }
  /** The present run has to answer before it counts as up, until then at most. */
  | { kind: 'check'; containerId: string; until: number }
  /** It answered (`answer`: how), or its time to do so is over. */
  | { kind: 'record_ready'; answer: HttpAnswer | null }
  /** `because`: it is Botel's own will. */
  | { kind: 'stop'; containerId: string; run: number; graceMs: number; because?: StopReason | null }
  | { kind: 'kill'; containerId: string; run: number; because?: StopReason }
  /** Drains the log and records the end of the present run. */
  | { kind: 'record_end'; observation: Observation }
  | { kind: 'record_vanished' }
  | { kind: 'record_overdue' }
  /** The present run is not wanted any more and never ran. */
  | { kind: 'cancel_run' }
  | { kind: 'remove'; containerId: string }
  /** The record still names a container that is gone. */
  | { kind: 'record_gone' }
  /** A stopped bot has nothing ahead of it. */
  | { kind: 'clear_plans' }
  /** Nothing of a deleted bot is left on the engine: files, logs and row go. */
  | { kind: 'purge' };

export function decide(bot: Bot, observation: Observation | null, facts: Facts): Step {
  if (observation?.state === 'removing') return { kind: 'wait', until: facts.now + lookAgainMs };
  if (observation && observation.run !== bot.observed.run) return retire(bot, observation, facts);
  switch (bot.observed.runState) {
    case 'creating':
      return decideCreating(bot, observation, facts);
    case 'running':
      return decideRunning(bot, observation, facts);
    case 'none':
    case 'built':
    case 'ended':
      return observation ? retire(bot, observation, facts) : decideIdle(bot, facts);
  }
}

/** The newest run belongs to the present desired state, and may go on. */
function isWanted(bot: Bot, facts: Facts): boolean {
  const { desired, observed } = bot;
  if (observed.runGeneration !== desired.generation || facts.closing) return false;
  return desired.state === 'running' || (isReinstalling(bot) && mustReinstall(bot));
}

/** The owner asked for a build that was not done since, and may have it. */
function mustReinstall(bot: Bot): boolean {
  return bot.suspension === null && bot.buildEpoch !== bot.observed.builtEpoch;
}

function decideCreating(bot: Bot, observation: Observation | null, facts: Facts): Step {
  if (observation?.state === 'running') return { kind: 'record_running', observation };
  if (observation?.state === 'exited') return { kind: 'record_end', observation };
  if (!isWanted(bot, facts)) return { kind: 'cancel_run' };
  if (observation?.error) return { kind: 'record_end', observation };
  if (isOverdue(bot, facts)) return { kind: 'record_overdue' };
  return observation ? { kind: 'start', containerId: observation.containerId } : { kind: 'create' };
}

/** Time spent on making an image has a limit of its own. */
export function isOverdue(bot: Bot, facts: Facts): boolean {
  const { phase, phaseSince } = bot.observed;
  if (phaseSince === null) return false;
  const deadlineMs = phase === 'pulling' ? pullingDeadlineMs : startDeadlineMs;
  return facts.now - Math.max(phaseSince, facts.engineSince) > deadlineMs;
}

function decideRunning(bot: Bot, observation: Observation | null, facts: Facts): Step {
  if (!observation) return { kind: 'record_vanished' };
  if (observation.state !== 'running') return { kind: 'record_end', observation };
  const { run, runKind, stopRun, startedAt } = bot.observed;
  if (!isWanted(bot, facts) || stopRun === run) return takeDown(bot, observation, facts);
  if (facts.mustStop) {
    const step = takeDown(bot, observation, facts);
    return step.kind === 'stop' || step.kind === 'kill' ? { ...step, because: facts.mustStop } : step;
  }
  const { containerId, address } = observation;
  if (runKind === 'bot' && address !== bot.observed.address) return { kind: 'record_address', address };
  if (bot.observed.checkPath !== null) return decideChecking(bot, containerId, facts);
  if (runKind === 'bot') return { kind: 'watch', containerId, until: null };
  const until = (startedAt ?? facts.now) + facts.buildLimitMs;
  return facts.now >= until ? { kind: 'kill', containerId, run } : { kind: 'watch', containerId, until };
}

/** Time without an engine, or without Botel, is no time to answer in. */
function decideChecking({ observed }: Bot, containerId: string, { now, engineSince, answer }: Facts): Step {
  const since = Math.max(observed.phaseSince ?? now, engineSince);
  const until = since + checkDeadlineMs;
  const clockWentBack = now < since - clockSlackMs;
  if (isHealthy(answer) || now >= until || clockWentBack) return { kind: 'record_ready', answer };
  return { kind: 'check', containerId, until };
}

/** A container that is not (or no longer) the present run: it goes. */
function retire(bot: Bot, observation: Observation, facts: Facts): Step {
  if (observation.state === 'running') return takeDown(bot, observation, facts);
  return { kind: 'remove', containerId: observation.containerId };
}

/** Stop signal once per run, then SIGKILL when the engine's own did not come; a kill does not
 * wait. */
function takeDown(bot: Bot, { containerId, run }: Observation, facts: Facts): Step {
  const { stopRun, stopDeadlineAt, stopKilled } = bot.observed;
  const asked = stopRun === run;
  // A build has nothing to save.
  const atOnce = bot.observed.runKind === 'build' && run === bot.observed.run;
  if (atOnce && !(asked && stopKilled)) return { kind: 'kill', containerId, run };
  if (bot.desired.kill && bot.desired.state !== 'running' && !(asked && stopKilled))
    return { kind: 'kill', containerId, run };
  if (!asked)
    return { kind: 'stop', containerId, run, graceMs: (bot.desired.graceSeconds ?? bot.stop.graceSeconds) * 1000 };
  const killAt = (stopDeadlineAt ?? 0) + stopSlackMs;
  // Further away than any grace is long: the clock was turned back since.
  const clockWentBack = killAt - facts.now > longestGraceMs + stopSlackMs;
  return clockWentBack || facts.now >= killAt ? { kind: 'kill', containerId, run } : { kind: 'wait', until: killAt };
}

function decideIdle(bot: Bot, facts: Facts): Step {
  const { desired, observed } = bot;
  if (observed.containerId !== null) return { kind: 'record_gone' };
  if (desired.state === 'deleted') return { kind: 'purge' };
  if (desired.state === 'stopped') {
    if (mustReinstall(bot) && !facts.closing) return { kind: 'begin', cause: 'reinstall' };
    return observed.phase !== null || observed.retryAt !== null ? { kind: 'clear_plans' } : { kind: 'rest' };
  }
  if (facts.closing) return { kind: 'rest' };
  if (observed.runGeneration !== desired.generation) return { kind: 'begin', cause: 'user' };
  if (observed.runState === 'built') return { kind: 'begin', cause: 'built' };
  if (observed.retryAt === null) return { kind: 'rest' };
  // A clock that was turned back to before the last end says nothing about the delay, which nobody
  // may lengthen.
  const clockWentBack = observed.lastExit !== null && facts.now < observed.lastExit.at - clockSlackMs;
  if (clockWentBack || observed.retryAt <= facts.now) return { kind: 'begin', cause: 'retry' };
  return { kind: 'wait', until: observed.retryAt };
}
