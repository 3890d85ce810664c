// The interface to the container engine. Calls are idempotent ("make it so") and only touch
// containers with this install's labels. Implementations: docker/, fake/.
import type { StopSignal } from '@botel/contract/vocabulary';
import type { Runtime } from '../../core/domain/runtime.ts';

/** Everything that a bot's container is made of; plain data, made by agent/reconciler/container-spec.ts. Bytes and whole numbers. */
export interface ContainerSpec {
  /** `bot_<id>`. */
  name: string;
  botId: string;
  generation: number;
  run: number;
  /** Image id, never a tag. */
  imageId: string;
  /** uid and gid inside and outside of the container. */
  uid: number;
  /** Argument vector; the engine's init is its parent. */
  argv: string[];
  /** `KEY=value`, Botel's own last. */
  environment: string[];
  workingDirectory: string;
  memoryBytes: number;
  cpuPeriodMicros: number;
  cpuQuotaMicros: number;
  pidsLimit: number;
  openFilesLimit: number;
  tmpBytes: number;
  shmBytes: number;
  mounts: { source: string; target: string; readOnly: boolean }[];
  stopSignal: StopSignal;
  stopGraceSeconds: number;
  /** The bots' network, or none at all. */
  network: 'internet' | 'none';
  /** OCI runtime, as the engine knows it; null: the one that the engine's settings name. */
  runtime: string | null;
  /** Whether its stdin stays open, for writeStdin; else it is empty. */
  stdin: boolean;
}

/** What inspect found. Times are ms since the epoch. `run` and `generation` come from its labels. */
export interface Observation {
  containerId: string;
  botId: string;
  generation: number;
  run: number;
  state: 'created' | 'running' | 'exited' | 'removing';
  startedAt: number | null;
  finishedAt: number | null;
  /** Null unless `exited`. */
  exitCode: number | null;
  oomKilled: boolean;
  /** The engine's start error, '' for none; may name host paths. */
  error: string;
  /** IPv4 address on the bots' network; null without that network, and while the container does not run. */
  address: string | null;
}

/** What a running container has used so far and uses now. Counters begin with the container. */
export interface ContainerUsage {
  /** Processor time, microseconds. */
  cpuMicros: number;
  /** Working set: without the cache of files that nobody reads at present. */
  memoryBytes: number;
  /** Highest use so far; null where the kernel does not count it. */
  memoryPeakBytes: number | null;
  /** Processes and threads; null where unknown. */
  pids: number | null;
  /** All of its interfaces but the loopback; null where unknown. */
  netRxBytes: number | null;
  netTxBytes: number | null;
}

/** How much of a program's output may pass: the text, and the lines of stdout and stderr together. */
export interface OutputRate {
  bytesPerSecond: number;
  linesPerSecond: number;
}

/** A hold on a program's output, see Engine.throttleOutput; disposing lets go, and is fine when nothing is held any more. */
export interface OutputThrottle extends Disposable {
  /** Whether it still holds: the end or the stop of the container, and of the connection to the engine, end the throttle. */
  readonly holds: boolean;
  /** Whether output had to wait since this was asked last. */
  heldBack(): boolean;
}

/** A hint that something changed; inspect is the truth. `connected` comes first on every (re)connection. */
export type EngineChange = { kind: 'connected' } | { kind: 'state'; botId: string } | { kind: 'oom'; botId: string };

/**
 * - unavailable: the engine does not answer (outcome of the call unknown)
 * - timeout: no answer within the call's deadline (outcome unknown)
 * - unmanaged: the name `bot_<id>` belongs to a container that is not this install's
 * - image_missing: the image of the spec is gone
 * - refused: the engine said no; `message` is its text
 * - unread: the program does not read its stdin, and no more goes in
 */
export type EngineErrorCode = 'unavailable' | 'timeout' | 'unmanaged' | 'image_missing' | 'refused' | 'unread';

export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}

export interface EngineInfo {
  version: string;
  apiVersion: string;
  /** Bots outlive a restart of the engine. */
  liveRestore: boolean;
  cgroupVersion: '1' | '2';
  cpus: number;
  memoryBytes: number;
  /** Where the engine keeps its data. */
  rootDirectory: string;
}

/** Called with one plain sentence per step of a long preparation. */
export type Progress = (text: string) => void;

/**
 * Life of a container: (none) → created → running → exited → (none). Every call rejects with EngineError and has a
 * deadline of its own. After `unavailable` or `timeout` inspect before repeating.
 */
export interface Engine {
  /** Resolves when the engine answers and can run bots (own network present). */
  info(): Promise<EngineInfo>;
  /** Makes the container exist. An own container of the same run is fine; one of another run is `refused`. */
  create(spec: ContainerSpec): Promise<void>;
  /** Starts a created container; fine when it runs. `refused` with the engine's text when the program can't be started. */
  start(containerId: string): Promise<void>;
  /** Sends the stop signal, and SIGKILL after `graceMs`; resolves when the container has ended (or is gone). */
  stop(containerId: string, graceMs: number): Promise<void>;
  /** SIGKILL now; fine when it has ended or is gone. */
  kill(containerId: string): Promise<void>;
  /**
   * Writes to the stdin of a running container and leaves it open; `refused` when it does not run or has none. Resolves
   * when all was taken. After `unread` a part may be in, and the rest follows it when the program reads after all; until
   * then everything else is `unread` at once.
   */
  writeStdin(containerId: string, text: string): Promise<void>;
  /**
   * Makes a running container wait whenever its output is faster than `rate`; nothing of the output is lost, and what
   * is buffered on the way passes before the throttle holds. `refused` when it does not run. `stop` and `kill` let go first.
   */
  throttleOutput(containerId: string, rate: OutputRate): Promise<OutputThrottle>;
  /** Removes an ended or created container and waits until its name is free; fine when it is gone. */
  remove(containerId: string): Promise<void>;
  /** The bot's container, null when there is none; `unmanaged` when its name belongs to somebody else. */
  inspect(botId: string): Promise<Observation | null>;
  /** All containers of this install that can be looked at, ended ones too. */
  list(): Promise<Observation[]>;
  /** Hints until the signal aborts or the connection breaks (rejects with `unavailable`). Never replayed. */
  changes(signal: AbortSignal): AsyncIterable<EngineChange>;
  /** Id of the image for a runtime, null when it has to be prepared first. */
  findImage(runtime: Runtime): Promise<string | null>;
  /** Pulls or builds the image for a runtime (minutes); returns its id. Parallel calls for the same image share the work. */
  prepareImage(runtime: Runtime, progress: Progress): Promise<string>;
  /** Ids of the images with packages that this install made. */
  packageImages(): Promise<string[]>;
  /** Removes one of `packageImages`; one that a container uses stays, and fine when it is gone. `unmanaged` for any other. */
  removeImage(imageId: string): Promise<void>;
  /** Path on this machine of the container's current log segment (json-file format). It exists once the container was started. */
  logFile(containerId: string): Promise<string>;
  /** Highest memory use of a running container so far, in bytes; null where unknown. */
  memoryPeakBytes(containerId: string): Promise<number | null>;
  /** What a container uses, read without asking the engine: cheap enough for every bot every few seconds. Null when it does not run. */
  usage(containerId: string): Promise<ContainerUsage | null>;
  /** Ends all connections. */
  close(): Promise<void>;
}
