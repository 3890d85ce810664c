// The Engine on a FakeMachine: the semantics of the real one without containers, for API tests, the
// simulation and BOTEL_ENGINE=fake. The machine holds all state.
import { containerName } from '../../../core/domain/bot.ts';
import { type Runtime, runtimeName } from '../../../core/domain/runtime.ts';
import { pause } from '../../../core/lib/clock.ts';
import { EngineError } from '../engine.ts';
import type {
  ContainerSpec,
  ContainerUsage,
  Engine,
  EngineChange,
  EngineInfo,
  Observation,
  OutputThrottle,
  OutputRate,
  Progress,
} from '../engine.ts';
import { FakeChanges } from './fake-changes.ts';
import type { FakeContainer } from './fake-container.ts';
import { type FakeCall, type FakeFaults, noFaults } from './fake-faults.ts';
import type { FakeMachine } from './fake-machine.ts';

export interface FakeEngineOptions {
  machine: FakeMachine;
  installId: string;
  faults?: FakeFaults;
}

export class FakeEngine implements Engine {
  readonly #machine: FakeMachine;
  readonly #installId: string;
  readonly #faults: FakeFaults;
  readonly #preparing = new Map<string, Promise<string>>();
  readonly #closing = new AbortController();

  constructor(options: FakeEngineOptions) {
    this.#machine = options.machine;
    this.#installId = options.installId;
    this.#faults = options.faults ?? noFaults;
  }

  info(): Promise<EngineInfo> {
    return this.#call({ verb: 'info', botId: null }, () => ({
      version: 'fake',
      apiVersion: '1.41',
      liveRestore: this.#machine.liveRestore,
      cpus: 4,
      memoryBytes: 16 * 1024 ** 3,
      rootDirectory: '/var/lib/fake',
    }));
  }

  create(spec: ContainerSpec): Promise<void> {
    return this.#call({ verb: 'create', botId: spec.botId }, () => {
      const present = this.#machine.byName(spec.name);
      if (present) {
        this.#refuseUnmanaged(present);
        if (present.run === spec.run && present.state !== 'removing') return;
        throw new EngineError('refused', `Conflict. The container name "/${spec.name}" is already in use`);
      }
      if (!this.#machine.hasImage(spec.imageId)) throw new EngineError('image_missing', 'No such image');
      this.#machine.create(spec, this.#installId);
    });
  }

  start(containerId: string): Promise<void> {
    return this.#call(this.#about('start', containerId), () => {
      const container = this.#own(containerId);
      if (!container) throw new EngineError('refused', 'The container is gone');
      // Running or stopping: the engine answers 304, and a start sent during a stop is lost.
      if (container.state === 'running') return;
      if (container.state !== 'created') throw new EngineError('refused', 'The container has ended');
      const error = this.#machine.start(container);
      if (error) throw new EngineError('refused', error);
    });
  }

  stop(containerId: string, graceMs: number): Promise<void> {
    return this.#call(this.#about('stop', containerId), async () => {
      const container = this.#own(containerId);
      if (!container) return;
      this.#machine.throttles.release(containerId);
      this.#machine.beginStop(container, graceMs);
      if (container.state === 'running') await this.#ended(container);
    });
  }

  kill(containerId: string): Promise<void> {
    return this.#call(this.#about('kill', containerId), () => {
      const container = this.#own(containerId);
      if (container) this.#machine.end(container, 137);
    });
  }

  writeStdin(containerId: string, text: string): Promise<void> {
    return this.#call(this.#about('writeStdin', containerId), () => {
      const container = this.#own(containerId);
      if (container?.state !== 'running') throw new EngineError('refused', 'The container does not run');
      if (!container.spec?.stdin) throw new EngineError('refused', 'The container has no stdin');
      if (!container.program.reads) throw new EngineError('unread', 'The program does not read its stdin');
      this.#machine.input(container, text);
    });
  }

  throttleOutput(containerId: string, rate: OutputRate): Promise<OutputThrottle> {
    return this.#call(this.#about('throttleOutput', containerId), () => {
      if (this.#own(containerId)?.state === 'running') return this.#machine.throttles.throttle(containerId, rate);
      throw new EngineError('refused', 'The container does not run');
    });
  }

  remove(containerId: string): Promise<void> {
    return this.#call(this.#about('remove', containerId), () => {
      const container = this.#own(containerId);
      if (!container) return;
      if (container.state === 'running') throw new EngineError('refused', 'The container is running');
      this.#machine.remove(container);
    });
  }

  inspect(botId: string): Promise<Observation | null> {
    return this.#call({ verb: 'inspect', botId }, () => {
      const container = this.#machine.byName(containerName(botId));
      if (!container) return null;
      this.#refuseUnmanaged(container);
      return observationOf(container);
    });
  }

  list(): Promise<Observation[]> {
    return this.#call({ verb: 'list', botId: null }, () => {
      const own = this.#machine.containers().filter((container) => container.installId === this.#installId);
      return own.map(observationOf);
    });
  }

  async *changes(signal: AbortSignal): AsyncGenerator<EngineChange, void, void> {
    const call: FakeCall = { verb: 'changes', botId: null };
    await this.#faults.before(call);
    this.#refuseWhenDown();
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const changes = new FakeChanges(this.#machine, this.#installId, this.#faults);
    try {
      yield { kind: 'connected' };
      yield* changes.read(either);
    } catch (error) {
      await this.#faults.after(call);
      throw error;
    } finally {
      changes.close();
    }
    if (this.#closing.signal.aborted && !signal.aborted) throw connectionCut();
  }

  findImage({ language, version, packages }: Runtime): Promise<string | null> {
    return this.#call({ verb: 'findImage', botId: null }, () => this.#machine.findImage(language, version, packages));
  }

  prepareImage(runtime: Runtime, progress: Progress): Promise<string> {
    const { language, version, packages } = runtime;
    const key = runtimeName(runtime);
    const present = this.#preparing.get(key);
    if (present) return present;
    const work = this.#call({ verb: 'prepareImage', botId: null }, async () => {
      progress(`Preparing ${key}`);
      const { clock, prepareMs } = this.#machine;
      if (prepareMs > 0) await pause(clock, prepareMs);
      return this.#machine.addImage(language, version, packages);
    }).finally(() => this.#preparing.delete(key));
    this.#preparing.set(key, work);
    return work;
  }

  packageImages(): Promise<string[]> {
    return this.#call({ verb: 'packageImages', botId: null }, () => this.#machine.packageImages());
  }

  removeImage(imageId: string): Promise<void> {
    return this.#call({ verb: 'removeImage', botId: null }, () => {
      if (!this.#machine.hasImage(imageId)) return;
      const isOurs = this.#machine.packageImages().includes(imageId);
      if (!isOurs) throw new EngineError('unmanaged', 'The image was not made by this install');
      const isUsed = this.#machine.containers().some(({ spec }) => spec?.imageId === imageId);
      if (!isUsed) this.#machine.forgetImage(imageId);
    });
  }

  logFile(containerId: string): Promise<string> {
    return this.#call(this.#about('logFile', containerId), () => {
      const path = this.#machine.log.path(containerId);
      if (path) return path;
      throw new EngineError('refused', 'This machine keeps no logs');
    });
  }

  memoryPeakBytes(containerId: string): Promise<number | null> {
    return this.#call(this.#about('memoryPeakBytes', containerId), () => {
      const container = this.#machine.byId(containerId);
      return container?.state === 'running' ? container.memoryPeakBytes : null;
    });
  }

  /** Available without the daemon, like the kernel's counters. */
  async usage(containerId: string): Promise<ContainerUsage | null> {
    const container = this.#machine.byId(containerId);
    if (container?.state !== 'running') return null;
    return { ...container.usage, memoryPeakBytes: container.memoryPeakBytes };
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  async #call<T>(call: FakeCall, effect: () => T | Promise<T>): Promise<T> {
    await this.#faults.before(call);
    this.#refuseWhenDown();
    try {
      return await effect();
    } finally {
      // Also when the effect failed: a caller that died meanwhile learns nothing of it.
      await this.#faults.after(call);
    }
  }

  #about(verb: FakeCall['verb'], containerId: string): FakeCall {
    return { verb, botId: this.#machine.byId(containerId)?.botId ?? null };
  }

  /** Waits for the end of a container; rejects when the engine goes down meanwhile. */
  #ended(container: FakeContainer): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = this.#machine.listen({
        changed() {
          if (container.state === 'running') return;
          leave();
          resolve();
        },
        engineStopped() {
          leave();
          reject(connectionCut());
        },
      });
    });
  }

  #own(containerId: string): FakeContainer | null {
    const container = this.#machine.byId(containerId);
    if (container) this.#refuseUnmanaged(container);
    return container;
  }

  #refuseUnmanaged(container: FakeContainer): void {
    if (container.installId === this.#installId) return;
    throw new EngineError('unmanaged', 'The name belongs to a container that is not of this install');
  }

  #refuseWhenDown(): void {
    if (this.#machine.engineUp && !this.#closing.signal.aborted) return;
    throw new EngineError('unavailable', 'The engine cannot be reached');
  }
}

function connectionCut(): EngineError {
  return new EngineError('unavailable', 'The connection to the engine was cut');
}

function observationOf(container: FakeContainer): Observation {
  const { containerId, botId, generation, run, state, startedAt, finishedAt } = container;
  const { exitCode, oomKilled, error, address } = container;
  return { containerId, botId, generation, run, state, startedAt, finishedAt, exitCode, oomKilled, error, address };
}
