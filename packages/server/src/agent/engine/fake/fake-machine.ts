// A machine in memory: its containers, its engine daemon (up or down) and its runtime images.
// Outlives FakeEngine objects as containers outlive a control plane. Waits on its clock only.
import type { Language } from '@botel/contract/vocabulary';
import { containerName } from '../../../core/domain/bot.ts';
import type { Clock, Timer } from '../../../core/lib/clock.ts';
import { type Ids, sha256 } from '../../../core/lib/ids.ts';
import type { ContainerSpec, EngineChange } from '../engine.ts';
import type { FakeContainer } from './fake-container.ts';
import { everyImage, imageId } from './fake-images.ts';
import { FakeLog } from './fake-log.ts';
import { type FakeStream, programOf } from './fake-program.ts';
import { FakeThrottles } from './fake-throttle.ts';

export interface FakeMachineOptions {
  clock: Clock;
  ids: Ids;
  /** For log files; without it there are none. */
  directory?: string;
  /** Runtime images that exist at first; all by default. */
  images?: [Language, string][];
  /** How long the preparation of an image takes. */
  prepareMs?: number;
}

/** How often a run of a bot was created and started. */
export interface FakeCount {
  creates: number;
  starts: number;
}

/** Events for an attached engine object. */
export interface FakeListener {
  changed(container: FakeContainer, change: EngineChange): void;
  engineStopped(): void;
}

const restingMemoryBytes = 20 * 1024 * 1024;

export class FakeMachine {
  readonly clock: Clock;
  readonly prepareMs: number;
  engineUp = true;
  /** IP address of its containers. */
  address = '127.0.0.1';
  liveRestore = true;
  readonly log: FakeLog;
  readonly throttles: FakeThrottles;
  readonly #ids: Ids;
  readonly #containers = new Map<string, FakeContainer>();
  readonly #timers = new Map<string, Set<Timer>>();
  readonly #counts = new Map<string, FakeCount>();
  /** Ids, and whether an image has packages. */
  readonly #images = new Map<string, boolean>();
  readonly #listeners = new Set<FakeListener>();

  constructor(options: FakeMachineOptions) {
    this.clock = options.clock;
    this.#ids = options.ids;
    this.prepareMs = options.prepareMs ?? 0;
    this.log = new FakeLog(options.directory ?? null);
    this.throttles = new FakeThrottles(this.log, this.clock);
    for (const [language, version] of options.images ?? everyImage()) this.addImage(language, version);
  }

  /** Unmanaged ones too, oldest first. Tests may set `memoryPeakBytes`, `usage`, `address`. */
  containers(): FakeContainer[] {
    return [...this.#containers.values()];
  }

  byId(containerId: string): FakeContainer | null {
    return this.#containers.get(containerId) ?? null;
  }

  byName(name: string): FakeContainer | null {
    return this.containers().find((container) => container.name === name) ?? null;
  }

  /** Creates and starts of one run of a bot so far. */
  count(botId: string, run: number): FakeCount {
    return this.#counts.get(`${botId}/${run}`) ?? { creates: 0, starts: 0 };
  }

  /** Adds a container; the caller has checked that nothing conflicts with it. */
  create(spec: ContainerSpec, installId: string): void {
    const { name, botId, generation, run } = spec;
    this.#add({ name, botId, generation, run, installId, spec, program: programOf(spec.argv) });
    this.#counted(botId, run).creates++;
  }

  /** Runs a created container. Returns the start error, null when it started. */
  start(container: FakeContainer): string | null {
    const { program, containerId } = container;
    if (program.startError) {
      container.error = program.startError;
      return program.startError;
    }
    container.state = 'running';
    container.startedAt = this.clock.now();
    container.address = container.spec?.network === 'none' ? null : this.address;
    this.#counted(container.botId, container.run).starts++;
    this.log.write(containerId, { ...program.firstLine, at: this.clock.now() });
    this.throttles.begin(containerId, program.floods);
    const { end } = program;
    if (end) this.#later(container, end.afterMs, () => this.end(container, end.code, end.oom));
    this.#announce(container, 'state');
    return null;
  }

  /** Sends the stop signal, and SIGKILL after the grace, unless a stop is already in progress. */
  beginStop(container: FakeContainer, graceMs: number): void {
    if (container.state !== 'running' || container.stopping) return;
    container.stopping = true;
    const { stop } = container.program;
    if (stop?.afterMs === 0) this.end(container, stop.code);
    else if (stop && stop.afterMs <= graceMs)
      this.#later(container, stop.afterMs, () => this.end(container, stop.code));
    else this.#later(container, graceMs, () => this.end(container, 137));
  }

  /** Ends a running container; fine when it has ended. */
  end(container: FakeContainer, code: number, oom = false): void {
    if (container.state !== 'running') return;
    this.#cancelTimers(container);
    this.throttles.end(container.containerId);
    container.state = 'exited';
    container.stopping = false;
    container.exitCode = code;
    container.oomKilled = oom;
    container.finishedAt = this.clock.now();
    container.address = null;
    if (oom) {
      container.memoryPeakBytes = container.spec?.memoryBytes ?? 0;
      this.#announce(container, 'oom');
    }
    this.#announce(container, 'state');
  }

  /** Writes `text` to a running program that reads its stdin. */
  input(container: FakeContainer, text: string): void {
    const before = container.stdin.lastIndexOf('\n') + 1;
    container.stdin += text;
    if (container.program.reads !== 'echo') return;
    for (const line of container.stdin.slice(before).split('\n').slice(0, -1))
      this.write(container.botId, `got ${line}`);
  }

  /** Removes the container and its log. */
  remove(container: FakeContainer): void {
    this.#cancelTimers(container);
    this.#containers.delete(container.containerId);
    this.log.remove(container.containerId);
    this.#announce(container, 'state');
  }

  // External events, for tests.

  /** A process of the bot is killed for memory; the bot goes on. Throws when it isn't running. */
  killProcess(botId: string): void {
    this.#announce(this.#running(botId), 'oom');
  }

  /** The bot's running program ends by itself. Throws when it is not running. */
  crash(botId: string, code: number, options: { oom?: boolean } = {}): void {
    this.end(this.#running(botId), code, options.oom);
  }

  /** The bot's running program writes a line. Throws when it is not running. */
  write(botId: string, text: string, stream: FakeStream = 'stdout'): void {
    this.log.write(this.#running(botId).containerId, { text, stream, at: this.clock.now() });
  }

  /** The bot's container is removed by force from outside of Botel. */
  removeByHand(botId: string): void {
    const container = this.byName(containerName(botId));
    if (!container) throw new Error(`There is no container of bot ${botId}`);
    this.end(container, 137);
    this.remove(container);
  }

  /** An unmanaged container with the bot's name is created and runs. */
  squat(botId: string): FakeContainer {
    const name = containerName(botId);
    if (this.byName(name)) throw new Error(`The name ${name} is taken`);
    const parts = { name, botId: '', generation: 0, run: 0, installId: null, spec: null, program: programOf([]) };
    const container = this.#add(parts);
    container.state = 'running';
    container.startedAt = this.clock.now();
    return container;
  }

  /** The engine daemon dies: calls fail and streams break; containers keep running for now. */
  stopEngine(): void {
    this.engineUp = false;
    for (const listener of this.#listeners) listener.engineStopped();
  }

  /** The daemon comes back; without live-restore it ends all containers that still run. */
  startEngine(options: { liveRestore: boolean }): void {
    this.liveRestore = options.liveRestore;
    if (!options.liveRestore) for (const container of this.containers()) this.end(container, 137);
    this.engineUp = true;
  }

  addImage(language: Language, version: string, packages: readonly string[] = []): string {
    const id = imageId(language, version, packages);
    this.#images.set(id, packages.length > 0);
    return id;
  }

  removeImage(language: Language, version: string): void {
    this.forgetImage(imageId(language, version, []));
  }

  forgetImage(id: string): void {
    this.#images.delete(id);
  }

  /** Ids of the images that have packages. */
  packageImages(): string[] {
    return [...this.#images].filter(([, hasPackages]) => hasPackages).map(([id]) => id);
  }

  /** The image's id when it exists. */
  findImage(language: Language, version: string, packages: readonly string[] = []): string | null {
    const id = imageId(language, version, packages);
    return this.#images.has(id) ? id : null;
  }

  hasImage(id: string): boolean {
    return this.#images.has(id);
  }

  /** Notifies `listener` until the returned function is called. */
  listen(listener: FakeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #add(parts: Pick<FakeContainer, 'name' | 'botId' | 'generation' | 'run' | 'installId' | 'spec' | 'program'>) {
    const container: FakeContainer = {
      ...parts,
      containerId: sha256(this.#ids.uuid()),
      state: 'created',
      startedAt: null,
      finishedAt: null,
      exitCode: null,
      oomKilled: false,
      error: '',
      address: null,
      stopping: false,
      stdin: '',
      memoryPeakBytes: restingMemoryBytes,
      usage: { cpuMicros: 0, memoryBytes: restingMemoryBytes, pids: 1, netRxBytes: 0, netTxBytes: 0 },
    };
    this.#containers.set(container.containerId, container);
    this.#announce(container, 'state');
    return container;
  }

  #running(botId: string): FakeContainer {
    const container = this.byName(containerName(botId));
    if (container?.state !== 'running') throw new Error(`No container of bot ${botId} runs`);
    return container;
  }

  #counted(botId: string, run: number): FakeCount {
    const key = `${botId}/${run}`;
    const count = this.#counts.get(key) ?? { creates: 0, starts: 0 };
    this.#counts.set(key, count);
    return count;
  }

  #later(container: FakeContainer, delayMs: number, callback: () => void): void {
    const timers = this.#timers.get(container.containerId) ?? new Set();
    this.#timers.set(container.containerId, timers.add(this.clock.after(delayMs, callback)));
  }

  #cancelTimers(container: FakeContainer): void {
    for (const timer of this.#timers.get(container.containerId) ?? []) timer.cancel();
    this.#timers.delete(container.containerId);
  }

  #announce(container: FakeContainer, kind: 'state' | 'oom'): void {
    if (!this.engineUp) return;
    for (const listener of this.#listeners) listener.changed(container, { kind, botId: container.botId });
  }
}
