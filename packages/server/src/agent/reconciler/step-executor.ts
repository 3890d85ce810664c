// Executes one step of the reconciler and records its result. One effect per step: after a crash at
// any point, the next check finds out what happened.
import type { Bot } from '../../core/domain/bot.ts';
import { portOf, portVariable } from '../../core/domain/environment.ts';
import { retryEvent } from '../../core/domain/event.ts';
import { mebibyte } from '../../core/domain/quota.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import { type ContainerSpec, EngineError } from '../engine/engine.ts';
import { buildSpec, containerSpec, type Fittings } from './container-spec.ts';
import { type BeginCause, pullingDeadlineMs, type Step, startDeadlineMs } from './decide.ts';
import type { Deps } from './deps.ts';
import { type RunRecorder, sourceOf } from './run-recorder.ts';

/** For owners; the details are in the server's log. */
const fullMachine = 'The server has no disk space left';
const openNetwork = 'The firewall of this machine does not hold: its operator must run botel doctor';

/** After a step: check again at once, at a time (ms), or when something wakes the bot. */
export type Next = { look: 'now' } | { look: 'at'; at: number } | { look: 'when_woken' };

const now: Next = { look: 'now' };
const whenWoken: Next = { look: 'when_woken' };

export class StepExecutor {
  readonly #deps: Deps;
  readonly #recorder: RunRecorder;
  /** Stop calls to the engine without an answer yet. */
  readonly #stops = new Set<Promise<void>>();

  constructor(deps: Deps, recorder: RunRecorder) {
    this.#deps = deps;
    this.#recorder = recorder;
  }

  /** Resolves when no stop call is in flight. */
  async settled(): Promise<void> {
    while (this.#stops.size > 0) await Promise.all(this.#stops);
  }

  async execute(bot: Bot, step: Step, signal: AbortSignal): Promise<Next> {
    // Whatever else happens to the run: its address may soon be another's.
    if (step.kind !== 'check') this.#deps.health.leave(bot.id);
    await failpoint(`before.${step.kind}`);
    const next = await this.#execute(bot, step, signal);
    await failpoint(`after.${step.kind}`);
    return next;
  }

  async #execute(bot: Bot, step: Step, signal: AbortSignal): Promise<Next> {
    const { engine, observations } = this.#deps;
    switch (step.kind) {
      case 'rest':
        return whenWoken;
      case 'wait':
        return { look: 'at', at: step.until };
      case 'watch':
        this.#deps.capture.follow(sourceOf(bot, step.containerId));
        return step.until === null ? whenWoken : { look: 'at', at: step.until };
      case 'begin':
        return this.#begin(bot, step.cause, signal);
      case 'create':
        return this.#create(bot);
      case 'start':
        return this.#start(bot, step.containerId);
      case 'record_running':
        return this.#recorded(this.#recorder.running(bot, step.observation));
      case 'record_address':
        return this.#recorded(this.#recorder.address(bot, step.address));
      case 'check':
        this.#deps.capture.follow(sourceOf(bot, step.containerId));
        this.#deps.health.ask(bot);
        return { look: 'at', at: step.until };
      case 'record_ready':
        return this.#recorded(this.#recorder.ready(bot, step.answer));
      case 'stop':
        return this.#stop(bot, step);
      case 'kill':
        await observations.record(bot.id, {
          stopRun: step.run,
          stopDeadlineAt: this.#now(),
          stopKilled: true,
          ...(step.because && { stopReason: step.because }),
          phase: 'stopping',
        });
        await engine.kill(step.containerId);
        return now;
      case 'record_end':
        return this.#recorded(this.#recorder.end(bot, step.observation, signal));
      case 'record_vanished':
        return this.#recorded(this.#recorder.vanished(bot));
      case 'record_overdue':
        return this.#failStart(bot, overdueText(bot));
      case 'cancel_run':
        return this.#cancelRun(bot);
      case 'remove':
        await engine.remove(step.containerId);
        await observations.record(bot.id, { containerId: null });
        return now;
      case 'record_gone':
        await observations.record(bot.id, { containerId: null, observedAt: this.#now() });
        return now;
      case 'clear_plans':
        await observations.record(bot.id, { retryAt: null, phase: null, phaseSince: null });
        return now;
      case 'purge':
        return this.#purge(bot);
    }
  }

  /** Records that the current run could not be started; `message` is shown to the owner. */
  #failStart(bot: Bot, message: string): Promise<Next> {
    return this.#recorded(this.#recorder.startFailure(bot, message));
  }

  async #recorded(recording: Promise<void>): Promise<Next> {
    await recording;
    return now;
  }

  #now(): number {
    return this.#deps.clock.now();
  }

  async #begin(bot: Bot, cause: BeginCause, signal: AbortSignal): Promise<Next> {
    const { bots, observations, runs, database, builder, logs } = this.#deps;
    const [run, { restartCount }] = [bot.observed.run + 1, bot.observed];
    const build = cause === 'built' ? null : await builder.needed(bot, signal);
    if (cause === 'reinstall' && !build) {
      await observations.record(bot.id, { builtEpoch: bot.buildEpoch });
      return now;
    }
    await database.transaction(async () => {
      // Read again: the owner's plan was checked for what is committed.
      const { memoryMb } = (await bots.find(bot.id, { deletedToo: true })) ?? bot;
      await observations.record(bot.id, {
        run,
        runState: 'creating',
        runKind: build ? 'build' : 'bot',
        runMemoryMb: memoryMb,
        runStdin: bot.stdin && !build,
        pendingBuildKey: build?.key ?? null,
        runGeneration: bot.desired.generation,
        runBeganAt: this.#now(),
        startedAt: null,
        address: null,
        port: null,
        checkPath: null,
        stopRun: null,
        stopDeadlineAt: null,
        stopKilled: false,
        stopReason: null,
        retryAt: null,
        phase: 'creating',
        phaseSince: this.#now(),
        memoryPeakMb: null,
        restartCount: cause === 'user' ? 0 : cause === 'retry' ? restartCount + 1 : restartCount,
        // A user's start, restart or stop resets earlier failures.
        ...(cause === 'user' && { failures: 0, failuresGeneration: bot.desired.generation }),
      });
      const [automatic, kind] = [cause === 'retry', build ? ('build' as const) : ('bot' as const)];
      await runs.begin(bot.id, { run, kind, generation: bot.desired.generation, automatic, beganAt: this.#now() });
      if (build) await logs.system(bot.id, run, `Building: ${build.command}`);
      if (automatic) await this.#recorder.addEvent(bot, retryEvent(bot, run));
    });
    return now;
  }

  async #cancelRun(bot: Bot): Promise<Next> {
    const isCurrent = bot.desired.state === 'running' && bot.observed.runGeneration === bot.desired.generation;
    // Botel's own shutdown interrupted a run that is still desired: the next start resumes it.
    const retry = isCurrent ? this.#now() : null;
    await this.#deps.database.transaction(async () => {
      await this.#deps.observations.record(bot.id, {
        runState: 'ended',
        retryAt: retry,
        phase: null,
        phaseSince: null,
        address: null,
        port: null,
        checkPath: null,
      });
      if (bot.desired.state === 'stopped') {
        await this.#recorder.addEvent(bot, {
          type: 'bot.offline',
          message: `Bot "${bot.name}" was stopped before it ran`,
        });
      }
    });
    return now;
  }

  async #create(bot: Bot): Promise<Next> {
    const { engine, guard, homes, images, observations, logs, disks, storage } = this.#deps;
    const isFull = (await storage.level()) === 'full';
    // A bot with its image and build in place may run even on a full machine.
    if (isFull && bot.observed.runKind === 'build') return this.#failStart(bot, fullMachine);
    const image = await images.ask(bot, { prepare: !isFull });
    if (image.state === 'missing') return this.#failStart(bot, fullMachine);
    if (image.state === 'failed') return this.#failStart(bot, image.message);
    if (image.state === 'preparing') {
      if (bot.observed.phase !== 'pulling')
        await observations.record(bot.id, { phase: 'pulling', phaseSince: this.#now() });
      return whenWoken;
    }
    if (bot.observed.phase === 'pulling') {
      await observations.record(bot.id, { phase: 'creating', phaseSince: this.#now() });
      await logs.system(bot.id, bot.observed.run, 'The runtime image is ready');
    }
    if ((await guard.fault()) !== null) return this.#failStart(bot, openNetwork);
    const full = await disks.fault(bot);
    if (full !== null) return this.#recorded(this.#recorder.startFailure(bot, full, 'disk_full'));
    await homes.fit(bot);
    await homes.prepare(bot);
    const paths = { home: homes.path(bot.id), passwd: homes.passwdPath(bot.id), launcher: homes.launcherPath };
    await failpoint('create.ready');
    try {
      await engine.create(await this.#spec(bot, { imageId: image.imageId, paths }));
    } catch (error) {
      return this.#refused(bot, error);
    }
    return now;
  }

  async #spec(bot: Bot, fittings: Omit<Fittings, 'environment'>): Promise<ContainerSpec> {
    const { bots, observations, builder, downloads } = this.#deps;
    if (bot.observed.runKind === 'bot') {
      const environment = await bots.environment(bot.id);
      // Records the port that the program gets, before anybody can reach it.
      await observations.record(bot.id, { port: portOf(portVariable(environment, bot.app)) });
      return containerSpec(bot, { ...fittings, environment });
    }
    const [command, folder] = [await builder.command(bot), await downloads.folder(bot.language)];
    return buildSpec(bot, command, { ...fittings, memoryMb: builder.memoryMb, downloads: folder });
  }

  async #start(bot: Bot, containerId: string): Promise<Next> {
    const { engine, guard, capture } = this.#deps;
    if ((await guard.fault()) !== null) return this.#failStart(bot, openNetwork);
    capture.follow(sourceOf(bot, containerId));
    try {
      await engine.start(containerId);
    } catch (error) {
      return this.#refused(bot, error);
    }
    await guard.isolateBridgePorts();
    return now;
  }

  /** The engine refused, which ends the run; after other errors the outcome is unknown. */
  async #refused(bot: Bot, error: unknown): Promise<Next> {
    if (!(error instanceof EngineError)) throw error;
    switch (error.code) {
      case 'refused':
        return this.#failStart(bot, error.message);
      case 'unmanaged':
        return this.#failStart(bot, 'The name of its container is taken by a container that is not of this Botel');
      case 'image_missing':
        this.#deps.images.forget(bot);
        return this.#failStart(bot, 'The runtime image is missing; it is prepared again');
      default:
        throw error;
    }
  }

  /** Not awaited: the engine completes a stop by itself, and its end is observed. */
  async #stop(bot: Bot, { containerId, run, graceMs, because = null }: Extract<Step, { kind: 'stop' }>): Promise<Next> {
    const { observations, engine } = this.#deps;
    const deadline = this.#now() + graceMs;
    const change = { stopRun: run, stopDeadlineAt: deadline, stopReason: because, phase: 'stopping' } as const;
    await observations.record(bot.id, change);
    const call = engine.stop(containerId, graceMs).catch(() => {
      // The outcome is unknown: the deadline of the stop decides.
    });
    this.#stops.add(call);
    void call.then(() => this.#stops.delete(call));
    return now;
  }

  async #purge(bot: Bot): Promise<Next> {
    this.#deps.capture.forget(bot.id);
    await this.#deps.work.abortBot(bot.id);
    await this.#deps.homes.remove(bot.id);
    await failpoint('purge.home');
    await this.#deps.observations.purge(bot.id);
    return whenWoken;
  }

  /** Refreshes values that are only known while a run lives. */
  async samplePeak({ id, observed }: Bot): Promise<void> {
    if (observed.runState !== 'running' || !observed.containerId) return;
    const bytes = await this.#deps.engine.memoryPeakBytes(observed.containerId);
    const memoryPeakMb = bytes === null ? observed.memoryPeakMb : Math.ceil(bytes / mebibyte);
    if (memoryPeakMb !== observed.memoryPeakMb) await this.#deps.observations.record(id, { memoryPeakMb });
  }
}

function overdueText({ observed }: Bot): string {
  if (observed.phase !== 'pulling') return `The container was not running within ${startDeadlineMs / 1000} seconds`;
  return `The runtime image was not ready within ${pullingDeadlineMs / 1000} seconds; it is still being prepared`;
}
