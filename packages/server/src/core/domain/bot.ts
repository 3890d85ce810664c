// What a bot is: its settings, the desired state (written by services) and what was observed (written by the reconciler).
// Types only; everything computed from them lives beside it (status.ts, restart-policy.ts, exit.ts).
import type {
  BotNetwork,
  ExitReason,
  Language,
  Phase,
  RestartMode,
  RunKind,
  StopSignal,
} from '@botel/contract/vocabulary';
import type { HintCode, HintValues } from './exit-hint-texts.ts';

export type Desired = 'running' | 'stopped' | 'deleted';

/** What the owner wants. `generation` grows by one with every accepted lifecycle call; the newest wins. */
export interface DesiredState {
  state: Desired;
  generation: number;
  /** Stop by SIGKILL at once instead of the stop signal and its grace. */
  kill: boolean;
  /** Grace of this stop in seconds; null = the bot's own. */
  graceSeconds: number | null;
}

/**
 * Life of the newest run: `none` before the first, `creating` once it was begun (the container may or may not exist),
 * `running` once the engine was seen running it, `built` once a build was recorded as done, `ended` once its end (or
 * its failure to start) is recorded.
 */
export type RunState = 'none' | 'creating' | 'running' | 'built' | 'ended';

/** Why Botel itself ends a run that its owner wants. */
export type StopReason = 'disk_full' | 'flood';

/** What most likely ended a run, for programs; `hintSentence` makes a sentence of it. */
export interface ExitHint {
  code: HintCode;
  values: HintValues;
}

/** How a run ended. Times are ms since the epoch; sizes in MB; durations in seconds. */
export interface Exit {
  at: number;
  run: number;
  code: number | null;
  signal: string | null;
  oom: boolean;
  reason: ExitReason;
  /** One safe sentence for the owner. */
  message: string;
  /** Last lines of output before the end, oldest first, at most twenty. */
  lastLines: string[];
  /** Absent where nothing is known. */
  hint?: ExitHint | null;
  uptimeSeconds: number;
  memoryPeakMb: number | null;
}

/** What the reconciler knows of a bot. Written by the reconciler only. */
export interface Observed {
  run: number;
  runState: RunState;
  runKind: RunKind;
  /** Whether the newest run's program has a stdin that texts can be written to. */
  runStdin: boolean;
  /** The desired state's generation that the newest run belongs to. */
  runGeneration: number;
  /** The container that was last seen; null when none is known to exist. */
  containerId: string | null;
  runBeganAt: number | null;
  startedAt: number | null;
  /** Where the newest run's program is reached while it runs: IPv4 address on the bots' network. Null for builds. */
  address: string | null;
  /** Where it is expected to listen: the PORT that it was given; null when that is no port, and for builds. */
  port: number | null;
  /** Path that the newest run has to answer before it counts as up; null when it need not, or has answered. */
  checkPath: string | null;
  /** The run whose stop was asked of the engine, and when it is over at the latest. */
  stopRun: number | null;
  stopDeadlineAt: number | null;
  /** Whether that stop ended by SIGKILL (the kill call or the end of grace). */
  stopKilled: boolean;
  /** Why, when it was Botel's own. */
  stopReason: StopReason | null;
  /** Failures in a row, and the generation in which they were counted. */
  failures: number;
  failuresGeneration: number;
  retryAt: number | null;
  lastExit: Exit | null;
  phase: Phase | null;
  /** When the present phase began to count against the deadline of starting. */
  phaseSince: number | null;
  memoryPeakMb: number | null;
  /** Key of the build that the bot's files have, and of the one that the present run makes. */
  buildKey: string | null;
  pendingBuildKey: string | null;
  /** The `buildEpoch` that the newest build was for. */
  builtEpoch: number;
  /** Automatic restarts since the last user start. */
  restartCount: number;
  observedAt: number | null;
}

export interface RestartPolicy {
  mode: RestartMode;
  /** null = no end. */
  maxRetries: number | null;
  backoffMaxSeconds: number;
}

/** A bot's app: what it is called, and what its runs depend on. `port` null = the bot's PORT; `healthPath` null = nothing is asked. */
interface ServedApp {
  id: string;
  name: string;
  port: number | null;
  healthPath: string | null;
}

/** A bot as the store holds it. Times are ms since the epoch. */
export interface Bot {
  id: string;
  ownerId: string;
  /** uid and gid of its processes and files on the host; unique per bot, never reused. */
  uid: number;
  name: string;
  language: Language;
  memoryMb: number;
  startupCommand: string;
  /** The owner's own build; null = what the language expects. */
  buildCommand: string | null;
  /** Grows when the owner asks for a build from scratch. */
  buildEpoch: number;
  /** Names of the owner's variables; their values stay encrypted in the store until a run needs them. */
  environmentNames: string[];
  runtimeVersion: string;
  /** Debian packages that its image has beside the runtime, sorted and each once. */
  packages: string[];
  restartPolicy: RestartPolicy;
  stop: { signal: StopSignal; graceSeconds: number };
  network: BotNetwork;
  /** False: the owner's plan gives no network, whatever the bot's setting says. */
  planInternet: boolean;
  /** OCI runtime that the owner's plan asks for, as the engine knows it; null: the install's. */
  planRuntime: string | null;
  /** A backup is being put back into it: nothing may run on its files. */
  restoring: boolean;
  /** Its runs get a stdin that the owner can write to; else it is empty. */
  stdin: boolean;
  /** Why an admin keeps it from running, '' without a word; null = it may run. */
  suspension: string | null;
  /** What its files may take, in MB: what its owner chose, unless the plan gives less. */
  diskMb: number;
  /** What the app that it serves means for its runs; null without one. */
  app: ServedApp | null;
  desired: DesiredState;
  observed: Observed;
  /** Last change (ms) of settings, environment or files that a run which began before it does not have. */
  changedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Name of a bot's container (docs/specification.md). */
export function containerName(botId: string): string {
  return `bot_${botId}`;
}

/** What the bot's runs reach: what its owner chose, unless the plan gives less. */
export function networkOf({ network, planInternet }: Bot): BotNetwork {
  return planInternet ? network : 'none';
}
