// The interface to the container engine. Calls are idempotent and only touch containers with this
// install's labels. Implementations: docker/, fake/.
import type { StopSignal } from '@botel/contract/vocabulary';
import type { Runtime } from '../../core/domain/runtime.ts';

/** Everything that defines a bot's container; plain data. Bytes and whole numbers. */
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
  /** Name of the OCI runtime; null: the one of the engine's settings. */
  runtime: string | null;
  /** Whether its stdin stays open for writeStdin; otherwise it is empty. */
  stdin: boolean;
}

/** The result of inspect. Times are ms since the epoch. `run` and `generation` come from labels. */
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
  /** The engine's start error, '' for none; may contain host paths. */
  error: string;
  /** IPv4 address on the bots' network; null without that network or while not running. */
  address: string | null;
}

/** Resource usage of a running container. Counters begin with the container. */
export interface ContainerUsage {
  /** CPU time, microseconds. */
  cpuMicros: number;
  /** Working set: without the inactive file cache. */
  memoryBytes: number;
  /** Highest use so far; null where the kernel does not count it. */
  memoryPeakBytes: number | null;
  /** Processes and threads; null where unknown. */
  pids: number | null;
  /** All of its interfaces except the loopback; null where unknown. */
  netRxBytes: number | null;
  netTxBytes: number | null;
}

/** The rate at which output may pass; lines of stdout and stderr together. */
export interface OutputRate {
  bytesPerSecond: number;
  linesPerSecond: number;
}

/** A throttle on a program's output; disposing releases it and is idempotent. */
export interface OutputThrottle extends Disposable {
  /** False once the container has ended or is stopped, or the engine's connection is lost. */
  readonly holds: boolean;
  /** Whether output had to wait since the last call. */
  heldBack(): boolean;
}

/** A wake-up; inspect is authoritative. `connected` comes first on every (re)connection. */
export type EngineChange = { kind: 'connected' } | { kind: 'state'; botId: string } | { kind: 'oom'; botId: string };

/**
 * - unavailable: the engine does not answer (outcome of the call unknown)
 * - timeout: no answer within the call's deadline (outcome unknown)
 * - unmanaged: the name `bot_<id>` belongs to a container of something else than this install
 * - image_missing: the image of the spec is gone
 * - refused: the engine refused; `message` is its text
 * - unread: the program does not read its stdin, which accepts no more
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
  /** Bots survive a restart of the engine. */
  liveRestore: boolean;
  cpus: number;
  memoryBytes: number;
  /** The engine's data directory. */
  rootDirectory: string;
}

/** Called with one plain sentence per step of a long preparation. */
export type Progress = (text: string) => void;

/**
 * Life of a container: (none) → created → running → exited → (none). Every call rejects with
 * EngineError and has its own deadline. After `unavailable` or `timeout`, inspect before repeating.
 */
export interface Engine {
  /** Resolves when the engine answers and can run bots (own network present). */
  info(): Promise<EngineInfo>;
  /** An existing container of the same run is fine; one of another run is `refused`. */
  create(spec: ContainerSpec): Promise<void>;
  /** A running container is fine; `refused` when the program can't be started. */
  start(containerId: string): Promise<void>;
  /** Sends the stop signal, and SIGKILL after `graceMs`; resolves when the container has ended. */
  stop(containerId: string, graceMs: number): Promise<void>;
  /** SIGKILL now; fine when it has ended or is gone. */
  kill(containerId: string): Promise<void>;
  /**
   * Writes to the stdin of a running container and leaves it open; `refused` when it is not running
   * or has none. Resolves when all of the text was taken. After `unread`, a part may have been
   * written, and the rest follows when the program reads after all; until then, other texts are
   * `unread` at once.
   */
  writeStdin(containerId: string, text: string): Promise<void>;
  /**
   * Makes a running container wait whenever its output exceeds `rate`. No output is lost, and
   * buffered output passes before the throttle takes effect. `refused` when it is not running.
   * `stop` and `kill` release the throttle first.
   */
  throttleOutput(containerId: string, rate: OutputRate): Promise<OutputThrottle>;
  /** Removes an ended or created container and waits for its name; a missing one is fine. */
  remove(containerId: string): Promise<void>;
  /** The bot's container or null; `unmanaged` when its name belongs to something else. */
  inspect(botId: string): Promise<Observation | null>;
  /** All containers of this install that can be inspected, ended ones too. */
  list(): Promise<Observation[]>;
  /** Wake-ups until `signal` aborts; rejects when the connection breaks. Never replayed. */
  changes(signal: AbortSignal): AsyncIterable<EngineChange>;
  /** Id of the image for a runtime, null when it must be prepared first. */
  findImage(runtime: Runtime): Promise<string | null>;
  /** Pulls or builds an image (minutes); returns its id. Parallel calls share the work. */
  prepareImage(runtime: Runtime, progress: Progress): Promise<string>;
  /** Ids of the images with packages that this install made. */
  packageImages(): Promise<string[]>;
  /** Removes one of `packageImages` unless a container uses it; any other is `unmanaged`. */
  removeImage(imageId: string): Promise<void>;
  /** Path of the current log segment (json-file format); exists once the container was started. */
  logFile(containerId: string): Promise<string>;
  /** Highest memory use of a running container so far, in bytes; null where unknown. */
  memoryPeakBytes(containerId: string): Promise<number | null>;
  /** Read without the engine, cheap enough for every few seconds; null when not running. */
  usage(containerId: string): Promise<ContainerUsage | null>;
  /** Closes all connections. */
  close(): Promise<void>;
}
