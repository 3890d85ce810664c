// Makes the desired state real: one worker per bot reads the record, inspects the container and
// takes one step, until nothing is left to do. There is no recovery code: at boot every bot is
// woken and the same loop runs.
import type { Bot, StopReason } from '../../core/domain/bot.ts';
import { EngineError, type Observation } from '../engine/engine.ts';
import { pause, type Timer } from '../../core/lib/clock.ts';
import { KeyedQueue } from '../../core/lib/keyed-queue.ts';
import type { SettingStore } from '../../core/store/settings.ts';
import { decide, type Facts, isOverdue } from './decide.ts';
import { EngineWatch } from './engine-watch.ts';
import { MemoryKills } from './memory-kills.ts';
import type { Deps } from './deps.ts';
import { type Next, StepExecutor } from './step-executor.ts';
import { RunRecorder } from './run-recorder.ts';

const parallelBots = 32;
/** More than any bot needs in a row; one that takes them all is checked again later. */
const maxSteps = 50;
const retryFirstMs = 500;
const retryMaxMs = 10_000;
const takeDownPollMs = 100;

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

export class Reconciler {
  readonly #deps: Deps;
  readonly #log: Log;
  readonly #queue: KeyedQueue;
  readonly #watch: EngineWatch;
  readonly #recorder: RunRecorder;
  readonly #executor: StepExecutor;
  readonly #kills: MemoryKills;
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #closing = false;
  #unsubscribe: () => void = () => {};

  constructor(deps: Deps & { settings: SettingStore; bootId: string }, log: Log) {
    this.#deps = deps;
    this.#log = log;
    this.#queue = new KeyedQueue(
      parallelBots,
      (botId) => this.#reconcile(botId),
      (botId, error) => this.#retryLater(botId, error),
    );
    this.#watch = new EngineWatch(deps, {
      connected: () => this.#checkNetwork(),
      resync: () => this.#resync(),
      changed: (botId) => this.wake(botId),
      oom: (botId) => {
        this.wake(botId);
        this.#kills.note(botId);
      },
      availability: (available, error) => this.#noteAvailability(available, error),
      failed: (error) => this.#log.error({ err: error }, 'the engine watch failed'),
    });
    const wasInterrupted = (startedAt: number, finishedAt: number) => this.#watch.wasInterrupted(startedAt, finishedAt);
    this.#recorder = new RunRecorder(deps, wasInterrupted);
    this.#executor = new StepExecutor(deps, this.#recorder);
    this.#kills = new MemoryKills(deps, this.#recorder, (botId, error) =>
      this.#log.error({ bot: botId, err: error }, 'kill for memory not told'),
    );
  }

  /** Every bot is checked as soon as the engine answers. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#deps.bots.desiredChanged.onAny((botId) => this.wake(botId));
    this.#deps.images.onDone((botId) => this.wake(botId));
    this.#deps.health.onHealthy((botId) => this.wake(botId));
    await this.#watch.start();
  }

  /** Requests a check of the bot; cheap, and allowed at any time. */
  wake(botId: string): void {
    this.#timers.get(botId)?.cancel();
    this.#timers.delete(botId);
    this.#queue.add(botId);
  }

  /** Resolves when no bot can make progress at the moment. For tests. */
  async settle(): Promise<void> {
    await this.#queue.idle();
    await this.#executor.settled();
    await this.#deps.images.settled();
    await this.#queue.idle();
  }

  /** Stops the workers; containers keep running. Steps in progress are finished. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#watch.stop();
    this.#kills.stop();
    this.#deps.health.stop();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await this.#queue.stop();
  }

  /** Stops all bots until the next start; their desired state is unchanged. */
  async takeDownBots(): Promise<void> {
    this.#closing = true;
    const ids = await this.#deps.bots.ids();
    for (const id of ids) this.wake(id);
    for (;;) {
      await this.settle();
      const left = (await this.#deps.engine.list()).filter((container) => container.state === 'running');
      if (left.length === 0) return;
      await pause(this.#deps.clock, takeDownPollMs);
      for (const container of left) this.wake(container.botId);
    }
  }

  async #reconcile(botId: string): Promise<void> {
    for (let count = 0; count < maxSteps; count++) {
      // The restore wakes the bot when it has ended.
      if (this.#deps.locks.holder(botId) === 'restoring') return;
      const bot = await this.#deps.bots.find(botId, { deletedToo: true });
      if (!bot) return;
      const next = await this.#step(bot);
      if (next.look === 'now') continue;
      this.#failures.delete(botId);
      if (next.look === 'at') this.#wakeAt(botId, next.at);
      return;
    }
    this.#log.warn({ bot: botId }, 'bot took too many steps in a row');
    this.#wakeAt(botId, this.#deps.clock.now() + retryFirstMs);
  }

  async #step(bot: Bot): Promise<Next> {
    try {
      const observation = await this.#inspect(bot.id);
      const step = decide(bot, observation, this.#facts(bot));
      return await this.#executor.execute(bot, step);
    } catch (error) {
      const isUnknown = error instanceof EngineError && error.code === 'timeout';
      if (!isUnknown || bot.observed.runState !== 'creating' || !isOverdue(bot, this.#facts(bot))) throw error;
      await this.#recorder.startFailure(bot, 'The engine did not start the container in time');
      return { look: 'now' };
    }
  }

  /** An unmanaged container counts as none: creating over it fails with an explanation. */
  async #inspect(botId: string): Promise<Observation | null> {
    try {
      return await this.#deps.engine.inspect(botId);
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unmanaged') return null;
      throw error;
    }
  }

  #facts(bot: Bot): Facts {
    return {
      now: this.#deps.clock.now(),
      engineSince: this.#watch.since,
      buildLimitMs: this.#deps.buildLimitMs,
      closing: this.#closing,
      answer: this.#deps.health.answerOf(bot),
      mustStop: this.#deps.disks.mustStop(bot) ?? this.#mustStopForOutput(bot),
    };
  }

  #wakeAt(botId: string, at: number): void {
    this.#timers.get(botId)?.cancel();
    const delay = Math.max(0, at - this.#deps.clock.now());
    this.#timers.set(
      botId,
      this.#deps.clock.after(delay, () => this.wake(botId)),
    );
  }

  /** A run whose output can't be throttled must end; later runs are evaluated separately. */
  #mustStopForOutput({ id, observed }: Bot): StopReason | null {
    return this.#deps.unstoppable.get(id) === observed.run ? 'flood' : null;
  }

  /** A check or a step failed: retries later, with a growing delay. */
  #retryLater(botId: string, error: unknown): void {
    const count = (this.#failures.get(botId) ?? 0) + 1;
    this.#failures.set(botId, count);
    const isEngine = error instanceof EngineError;
    if (isEngine && error.code === 'timeout') void this.#watch.recheck();
    if (!isEngine || error.code !== 'unavailable') this.#log.error({ bot: botId, err: error, count }, 'step failed');
    this.#wakeAt(botId, this.#deps.clock.now() + Math.min(retryFirstMs * 2 ** (count - 1), retryMaxMs));
  }

  /** An engine that starts creates rules of its own. */
  #checkNetwork(): void {
    this.#deps.guard.forget();
    void this.#deps.guard.check();
  }

  async #resync(): Promise<void> {
    const { engine, bots, observations, clock } = this.#deps;
    const containers = await engine.list();
    await observations.markObserved(clock.now());
    const ids = new Set(await bots.ids());
    for (const container of containers) if (!ids.has(container.botId)) await this.#removeOrphan(container);
    for (const id of ids) this.wake(id);
    const running = containers.filter((container) => container.state === 'running' && ids.has(container.botId));
    for (const { botId } of running) {
      const bot = await bots.find(botId);
      if (bot) await this.#executor.samplePeak(bot);
      if (bot && bot.observed.failures > 0) await this.#recorder.recovery(botId);
    }
  }

  /** Its deletion was interrupted, or the database is older or newer than the container. */
  async #removeOrphan(container: Observation): Promise<void> {
    this.#log.warn({ bot: container.botId, container: container.containerId }, 'removing a container without a bot');
    await this.#deps.engine.kill(container.containerId);
    await this.#deps.engine.remove(container.containerId);
  }

  #noteAvailability(available: boolean, error: unknown): void {
    if (available) this.#log.info({}, 'the container engine answers');
    else this.#log.warn({ err: error }, 'the container engine does not answer');
  }
}
