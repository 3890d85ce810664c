// The reconciler's decision: from a bot (desired state and record) and its observed container to
// the next single step. Pure: no time but `now`, no randomness, no calls. Covers every possible
// state.
import type { Bot, StopReason } from '../../core/domain/bot.ts';
import { checkDeadlineMs, isHealthy } from '../../core/domain/health.ts';
import { isReinstalling } from '../../core/domain/status.ts';
import type { Observation } from '../engine/engine.ts';
import type { HttpAnswer } from '../../core/lib/http-probe.ts';

/** From the beginning of a run until its program is running, without preparing images. */
export const startDeadlineMs = 60_000;
/** How long a run waits for its image; its preparation goes on, and the next run uses it. */
export const pullingDeadlineMs = 600_000;
/** How long to wait for the engine's own SIGKILL after the grace has ended. */
const stopSlackMs = 2_000;
const lookAgainMs = 500;
/** Upper bound for the grace of a bot and of a call. */
const longestGraceMs = 300_000;
/** The engine stamps ends: its clock may differ from ours by this much. */
const clockSlackMs = 1_000;

/** Other inputs of the decision. Times are ms since the epoch. */
export interface Facts {
  now: number;
  /** Since when the engine answers: time without an engine does not count against a bot. */
  engineSince: number;
  /** Longest duration of a build. */
  buildLimitMs: number;
  /** Botel is shutting down and stops its bots until its next start. */
  closing: boolean;
  /** The current run's last answer to its health check. */
  answer: HttpAnswer | null;
  /** Why a bot whose desired state is running must not keep running. */
  mustStop: StopReason | null;
}

export type BeginCause = 'user' | 'retry' | 'built' | 'reinstall';

export type Step =
  /** Nothing to do until something changes. */
  | { kind: 'rest' }
  /** The desired run is up: only follow its log; `until` is the deadline of a build. */
  | { kind: 'watch'; containerId: string; until: number | null }
  | { kind: 'wait'; until: number }
  /** Opens the next run: a user's call, a retry, after its build, or a requested build. */
  | { kind: 'begin'; cause: BeginCause }
  /** Creates the container of the current run, after preparing its image where that is missing. */
  | { kind: 'create' }
  | { kind: 'start'; containerId: string }
  | { kind: 'record_running'; observation: Observation }
  /** The current run's address differs from the recorded one. */
  | { kind: 'record_address'; address: string | null }
  /** The run must pass its health check before it counts as up, by `until` at the latest. */
  | { kind: 'check'; containerId: string; until: number }
  /** It passed the check (`answer`), or its time for that is over. */
  | { kind: 'record_ready'; answer: HttpAnswer | null }
  /** `because`: Botel itself stops the run, for this reason. */
  | { kind: 'stop'; containerId: string; run: number; graceMs: number; because?: StopReason | null }
  | { kind: 'kill'; containerId: string; run: number; because?: StopReason }
  /** Drains the log and records the end of the current run. */
  | { kind: 'record_end'; observation: Observation }
  | { kind: 'record_vanished' }
  | { kind: 'record_overdue' }
  /** The current run is no longer desired and never ran. */
  | { kind: 'cancel_run' }
  | { kind: 'remove'; containerId: string }
  /** The record still names a container that is gone. */
  | { kind: 'record_gone' }
  /** A stopped bot has nothing planned. */
  | { kind: 'clear_plans' }
  /** The engine has nothing left of a deleted bot: deletes its files, logs and row. */
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

/** The newest run belongs to the current desired state, and may continue. */
function isWanted(bot: Bot, facts: Facts): boolean {
  const { desired, observed } = bot;
  if (observed.runGeneration !== desired.generation || facts.closing) return false;
  return desired.state === 'running' || (isReinstalling(bot) && mustReinstall(bot));
}

/** The owner requested a build that has not been done since, and is allowed to have it. */
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

/** Time spent on preparing an image has its own limit. */
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

/** Time without an engine, or without Botel, does not count against the health check. */
function decideChecking({ observed }: Bot, containerId: string, { now, engineSince, answer }: Facts): Step {
  const since = Math.max(observed.phaseSince ?? now, engineSince);
  const until = since + checkDeadlineMs;
  const clockWentBack = now < since - clockSlackMs;
  if (isHealthy(answer) || now >= until || clockWentBack) return { kind: 'record_ready', answer };
  return { kind: 'check', containerId, until };
}

/** Removes a container that is not (or no longer) the current run. */
function retire(bot: Bot, observation: Observation, facts: Facts): Step {
  if (observation.state === 'running') return takeDown(bot, observation, facts);
  return { kind: 'remove', containerId: observation.containerId };
}

/**
 * Sends the stop signal once per run, then SIGKILL when the engine's own did not come; a kill does
 * not wait.
 */
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
  // Further away than the longest grace: the clock has gone back since.
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
  // The clock went back to before the last end: the delay must not grow, so retry now.
  const clockWentBack = observed.lastExit !== null && facts.now < observed.lastExit.at - clockSlackMs;
  if (clockWentBack || observed.retryAt <= facts.now) return { kind: 'begin', cause: 'retry' };
  return { kind: 'wait', until: observed.retryAt };
}
