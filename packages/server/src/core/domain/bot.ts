// A bot: settings and desired state (written by services), observed state (by the reconciler).
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

/** What the owner wants. Every accepted lifecycle call increments `generation`; the newest wins. */
export interface DesiredState {
  state: Desired;
  generation: number;
  /** Send SIGKILL at once, without stop signal and grace period. */
  kill: boolean;
  /** Grace period of this stop in seconds; null = the bot's own. */
  graceSeconds: number | null;
}

/**
 * `none` before the first run; `creating` once begun (the container may not exist yet); `running`
 * once the engine says so; `built` once a build is recorded; `ended` once its end, or its failure
 * to start, is recorded.
 */
export type RunState = 'none' | 'creating' | 'running' | 'built' | 'ended';

/** Why Botel ends a run that its owner wants. */
export type StopReason = 'disk_full' | 'flood';

/** The most likely cause of a run's end, as a code; `hintSentence` turns it into a sentence. */
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
  /** One sentence for the owner, without secrets or host paths. */
  message: string;
  /** Last lines of output, oldest first; bounded by `keptLines`. */
  lastLines: string[];
  /** Absent when nothing is known. */
  hint?: ExitHint | null;
  uptimeSeconds: number;
  memoryPeakMb: number | null;
}

/** What the reconciler knows of a bot; only the reconciler writes it. */
export interface Observed {
  run: number;
  runState: RunState;
  runKind: RunKind;
  /** Memory setting (MB) that the newest run began with; null = before the first run. */
  runMemoryMb: number | null;
  /** Whether the newest run accepts input on stdin. */
  runStdin: boolean;
  /** The generation of the desired state that the newest run belongs to. */
  runGeneration: number;
  /** The last observed container; null when none is known to exist. */
  containerId: string | null;
  runBeganAt: number | null;
  startedAt: number | null;
  /** IPv4 address of the running program on the bots' network. Null for builds. */
  address: string | null;
  /** The PORT that the program should listen on; null when it is no valid port, and for builds. */
  port: number | null;
  /** Health check that the newest run must still pass to count as up; null = none, or passed. */
  checkPath: string | null;
  /** The run that the engine was asked to stop, and the latest time at which the stop is over. */
  stopRun: number | null;
  stopDeadlineAt: number | null;
  /** Whether that stop used SIGKILL (the kill call, or the end of the grace period). */
  stopKilled: boolean;
  /** The reason, when Botel stopped the run itself. */
  stopReason: StopReason | null;
  /** Consecutive failures, and the generation in which they were counted. */
  failures: number;
  failuresGeneration: number;
  retryAt: number | null;
  lastExit: Exit | null;
  phase: Phase | null;
  /** When the current phase began to count against the start deadline. */
  phaseSince: number | null;
  memoryPeakMb: number | null;
  /** Keys of the build in the bot's files and of the build in progress. */
  buildKey: string | null;
  pendingBuildKey: string | null;
  /** The `buildEpoch` of the newest build. */
  builtEpoch: number;
  /** Automatic restarts since the user last started the bot. */
  restartCount: number;
  observedAt: number | null;
}

export interface RestartPolicy {
  mode: RestartMode;
  /** null = unlimited. */
  maxRetries: number | null;
  backoffMaxSeconds: number;
}

/** What runs depend on of the app. `port` null = the bot's `PORT`; `healthPath` null = no check. */
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
  /** Host uid and gid of its processes and files; unique per bot, never reused. */
  uid: number;
  name: string;
  language: Language;
  memoryMb: number;
  startupCommand: string;
  /** The owner's build command; null = the language's default. */
  buildCommand: string | null;
  /** Incremented when the owner requests a build from scratch. */
  buildEpoch: number;
  /** Names of the variables; the values stay encrypted in the store until a run needs them. */
  environmentNames: string[];
  runtimeVersion: string;
  /** Debian packages in its image beside the runtime, sorted, without duplicates. */
  packages: string[];
  restartPolicy: RestartPolicy;
  stop: { signal: StopSignal; graceSeconds: number };
  network: BotNetwork;
  /** False: the owner's plan allows no network, regardless of the bot's setting. */
  planInternet: boolean;
  /** OCI runtime of the owner's plan, as the engine names it; null = the install's default. */
  planRuntime: string | null;
  /** A restore is replacing its files; nothing may run on them. */
  restoring: boolean;
  /** Whether runs get a writable stdin; otherwise stdin is empty. */
  stdin: boolean;
  /** Why an admin suspended it, '' when no reason was given; null = not suspended. */
  suspension: string | null;
  /** Disk limit in MB: the owner's choice, capped by the plan. */
  diskMb: number;
  /** The app that it serves; null when it serves none. */
  app: ServedApp | null;
  desired: DesiredState;
  observed: Observed;
  /** Last change (ms) of settings, environment or files; runs that began earlier do not have it. */
  changedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Memory limit in MB of the newest run: later changes of the setting wait for the next one. */
export function runMemoryMb({ memoryMb, observed }: Bot): number {
  return observed.runMemoryMb ?? memoryMb;
}

/** Name of a bot's container (docs/specification.md). */
export function containerName(botId: string): string {
  return `bot_${botId}`;
}

/** The network of the bot's runs: the owner's choice, unless the plan allows none. */
export function networkOf({ network, planInternet }: Bot): BotNetwork {
  return planInternet ? network : 'none';
}
