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
import { settledWithin } from '../../core/lib/settled-within.ts';
import { laneOf, lanes, type StepLane } from './lanes.ts';

/** More than any bot needs in a row; one that takes them all is checked again later. */
const maxSteps = 50;
const retryFirstMs = 500;
const retryMaxMs = 10_000;
const takeDownPollMs = 100;
/** A process that ends waits this long for steps in progress; the next start resumes them. */
const stopWithinMs = 5_000;

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

export class Reconciler {
  readonly #deps: Deps;
  readonly #log: Log;
  readonly #queue: KeyedQueue<StepLane>;
  /** Owners of the bots seen so far. */
  readonly #owners = new Map<string, string>();
  readonly #watch: EngineWatch;
  readonly #recorder: RunRecorder;
  readonly #executor: StepExecutor;
  readonly #kills: MemoryKills;
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #closing = false;
  #stopped = false;
  #unsubscribe: () => void = () => {};

  constructor(deps: Deps & { settings: SettingStore; bootId: string }, log: Log) {
    this.#deps = deps;
    this.#log = log;
    this.#queue = new KeyedQueue({
      lanes,
      ownerOf: (botId) => this.#owners.get(botId) ?? botId,
      work: (botId, lane, signal) => this.#reconcile(botId, lane, signal),
      onError: (botId, error) => this.#retryLater(botId, error),
      now: () => deps.clock.now(),
    });
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
    this.#unsubscribe = this.#deps.bots.desiredChanged.onAny((botId) => {
      this.#queue.abort(botId);
      this.wake(botId);
    });
    this.#deps.images.onDone((botId) => this.wake(botId));
    this.#deps.health.onHealthy((botId) => this.wake(botId));
    await this.#watch.start();
  }

  /** Requests a check of the bot; cheap, and allowed at any time. */
  wake(botId: string): void {
    this.#timers.get(botId)?.cancel();
    this.#timers.delete(botId);
    this.#queue.add(botId, 'check');
  }

  /** See KeyedQueue.oldestWaitMs. */
  get oldestWaitMs(): number {
    return this.#queue.oldestWaitMs;
  }

  /** Resolves when no bot can make progress at the moment. For tests. */
  async settle(): Promise<void> {
    await this.#queue.idle();
    await this.#executor.settled();
    await this.#deps.images.settled();
    await this.#queue.idle();
  }

  /** Stops the workers; containers keep running. Steps that take long are aborted or left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#kills.stop();
    this.#deps.health.stop();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    const ended = Promise.all([this.#watch.stop(), this.#queue.stop()]);
    if (!(await settledWithin(this.#deps.clock, stopWithinMs, ended)))
      this.#log.warn({}, 'steps in progress are left to the next start');
  }

  /** Stops all bots until the next start; their desired state is unchanged. */
  async takeDownBots(): Promise<void> {
    this.#closing = true;
    const ids = await this.#deps.bots.ids();
    for (const id of ids) {
      this.#queue.abort(id);
      this.wake(id);
    }
    for (;;) {
      await this.#queue.idle();
      await this.#executor.settled();
      const left = (await this.#deps.engine.list()).filter((container) => container.state === 'running');
      if (left.length === 0) return;
      await pause(this.#deps.clock, takeDownPollMs);
      for (const container of left) this.wake(container.botId);
    }
  }

  async #reconcile(botId: string, lane: StepLane, signal: AbortSignal): Promise<void> {
    try {
      await this.#takeSteps(botId, lane, signal);
    } catch (error) {
      // Whatever aborted the steps also wakes the bot, or ends the process.
      if (!signal.aborted) throw error;
    }
  }

  async #takeSteps(botId: string, lane: StepLane, signal: AbortSignal): Promise<void> {
    for (let count = 0; count < maxSteps; count++) {
      // The restore wakes the bot when it has ended.
      if (this.#deps.locks.holder(botId) === 'restoring') return;
      const bot = await this.#deps.bots.find(botId, { deletedToo: true });
      if (!bot) return void this.#owners.delete(botId);
      this.#owners.set(botId, bot.ownerId);
      const next = await this.#step(bot, lane, signal);
      if (next.look === 'in_lane') return this.#queue.add(botId, next.lane);
      if (next.look === 'now') continue;
      this.#failures.delete(botId);
      if (next.look === 'at') this.#wakeAt(botId, next.at);
      return;
    }
    this.#log.warn({ bot: botId }, 'bot took too many steps in a row');
    this.#wakeAt(botId, this.#deps.clock.now() + retryFirstMs);
  }

  async #step(bot: Bot, lane: StepLane, signal: AbortSignal): Promise<Next | { look: 'in_lane'; lane: StepLane }> {
    try {
      const observation = await this.#inspect(bot.id);
      const step = decide(bot, observation, this.#facts(bot));
      const other = laneOf(step, bot);
      if (other !== null && other !== lane) return { look: 'in_lane', lane: other };
      return await this.#executor.execute(bot, step, signal);
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
    if (this.#stopped) return;
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
    if (this.#stopped) return;
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
