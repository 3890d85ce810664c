// Carries out one step of the reconciler and records what came of it. One effect per step: after a crash anywhere the
// next look finds out what happened. Must not decide what to do next (decide.ts).
import type { BotClaims } from '../domain/backup.ts';
import type { Bot, Exit, ExitReason, Observed } from '../domain/bot.ts';
import { exitEvents, type NewEvent, onlineEvent, recoveredEvent, retryEvent } from '../domain/event.ts';
import { exitOf, withoutHostPaths } from '../domain/exit.ts';
import { exitHint, hintLines, hintSentence } from '../domain/exit-hints.ts';
import { countFailures, forgivingUptimeSeconds, isFailure, retryAt } from '../domain/restart-policy.ts';
import { statusOf } from '../domain/status.ts';
import { type ContainerSpec, type Engine, EngineError, type Observation } from '../engine/engine.ts';
import type { Homes } from '../files/homes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { LogSource } from '../logs/followed-run.ts';
import type { LogCapture } from '../logs/log-capture.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { BotStore } from '../store/bots.ts';
import type { Database } from '../store/database.ts';
import type { EventStore } from '../store/events.ts';
import type { Builder } from './builder.ts';
import { buildSpec, containerSpec, type Fittings } from './container-spec.ts';
import type { BeginCause, Step } from './decide.ts';
import type { ImageDesk } from './image-desk.ts';

const mebibyte = 1024 * 1024;
/** Enough for an uncaught error of an interpreter with its stack, which says what was wrong in its first lines. */
const keptLastLines = 20;

/** What a step works with. The types are structural where only a part is needed. */
export interface Parts {
  engine: Engine;
  database: Database;
  bots: BotStore;
  events: Pick<EventStore, 'add'>;
  logs: Pick<LogStore, 'system' | 'lastLines'>;
  capture: Pick<LogCapture, 'follow' | 'drain' | 'forget'>;
  homes: Pick<Homes, 'prepare' | 'path' | 'passwdPath' | 'launcherPath' | 'remove'>;
  images: ImageDesk;
  builder: Builder;
  /** What else is going on with bots: one whose files are being restored is left alone. */
  claims: Pick<BotClaims, 'of'>;
  /** Longest time that a build may take. */
  buildLimitMs: number;
  clock: Clock;
  ids: Ids;
}

/** After a step: look again at once, at a time (ms), or when something wakes the bot. */
export type Next = { look: 'now' } | { look: 'at'; at: number } | { look: 'when_woken' };

const now: Next = { look: 'now' };
const whenWoken: Next = { look: 'when_woken' };

/** Tells whether a run of this span (ms) was taken down with the engine or the machine. */
export type WasInterrupted = (startedAt: number, finishedAt: number) => boolean;

export class Performer {
  readonly #parts: Parts;
  readonly #wasInterrupted: WasInterrupted;
  /** Stops that were asked of the engine and are not answered yet. */
  readonly #stops = new Set<Promise<void>>();

  constructor(parts: Parts, wasInterrupted: WasInterrupted) {
    this.#parts = parts;
    this.#wasInterrupted = wasInterrupted;
  }

  /** Resolves when no stop call is in flight. */
  async settled(): Promise<void> {
    while (this.#stops.size > 0) await Promise.all(this.#stops);
  }

  async perform(bot: Bot, step: Step): Promise<Next> {
    const { engine, bots } = this.#parts;
    switch (step.kind) {
      case 'rest':
        return whenWoken;
      case 'wait':
        return { look: 'at', at: step.until };
      case 'watch':
        this.#parts.capture.follow(sourceOf(bot, step.containerId));
        return step.until === null ? whenWoken : { look: 'at', at: step.until };
      case 'begin':
        return this.#begin(bot, step.cause);
      case 'create':
        return this.#create(bot);
      case 'start':
        return this.#start(bot, step.containerId);
      case 'record_running':
        return this.#recordRunning(bot, step.observation);
      case 'stop':
        return this.#stop(bot, step);
      case 'kill':
        await bots.observe(bot.id, {
          stopRun: step.run,
          stopDeadlineAt: this.#now(),
          stopKilled: true,
          phase: 'stopping',
        });
        await engine.kill(step.containerId);
        return now;
      case 'record_end':
        return this.#recordEnd(bot, step.observation);
      case 'record_vanished':
        return this.#recordVanished(bot);
      case 'record_overdue':
        return this.recordStartFailure(bot, 'The container was not running within 60 seconds');
      case 'cancel_run':
        return this.#cancelRun(bot);
      case 'remove':
        await engine.remove(step.containerId);
        await bots.observe(bot.id, { containerId: null });
        return now;
      case 'record_gone':
        await bots.observe(bot.id, { containerId: null, observedAt: this.#now() });
        return now;
      case 'clear_plans':
        await bots.observe(bot.id, { retryAt: null, phase: null, phaseSince: null });
        return now;
      case 'purge':
        return this.#purge(bot);
    }
  }

  /** Records that the present run could not be started; `message` is shown to the owner. */
  async recordStartFailure(bot: Bot, message: string): Promise<Next> {
    const exit: Exit = {
      at: this.#now(),
      run: bot.observed.run,
      code: null,
      signal: null,
      oom: false,
      reason: 'start_failed',
      message: withoutHostPaths(message),
      lastLines: [],
      uptimeSeconds: 0,
      memoryPeakMb: null,
    };
    return this.#recordExit(bot, { ...exit, hint: exitHint(exit, [], bot) });
  }

  #now(): number {
    return this.#parts.clock.now();
  }

  async #begin(bot: Bot, cause: BeginCause): Promise<Next> {
    const { bots, database, builder, logs } = this.#parts;
    const run = bot.observed.run + 1;
    const build = cause === 'built' ? null : await builder.needed(bot);
    if (cause === 'reinstall' && !build) {
      await bots.observe(bot.id, { builtEpoch: bot.buildEpoch });
      return now;
    }
    const { restartCount } = bot.observed;
    await database.transaction(async () => {
      await bots.observe(bot.id, {
        run,
        runState: 'creating',
        runKind: build ? 'build' : 'bot',
        pendingBuildKey: build?.key ?? null,
        runGeneration: bot.wish.generation,
        runBeganAt: this.#now(),
        startedAt: null,
        stopRun: null,
        stopDeadlineAt: null,
        stopKilled: false,
        retryAt: null,
        phase: 'creating',
        phaseSince: this.#now(),
        memoryPeakMb: null,
        restartCount: cause === 'user' ? 0 : cause === 'retry' ? restartCount + 1 : restartCount,
        // A user's start, restart or stop forgives what was before.
        ...(cause === 'user' && { failures: 0, failuresGeneration: bot.wish.generation }),
      });
      const automatic = cause === 'retry';
      const kind = build ? 'build' : 'bot';
      await bots.beginRun(bot.id, { run, kind, generation: bot.wish.generation, automatic, beganAt: this.#now() });
      if (build) await logs.system(bot.id, run, `Building: ${build.command}`);
      if (automatic) await this.#tell(bot, retryEvent(bot, run));
    });
    return now;
  }

  async #cancelRun(bot: Bot): Promise<Next> {
    const isCurrent = bot.wish.desired === 'running' && bot.observed.runGeneration === bot.wish.generation;
    // A run that is still wished was put off because Botel is ending: its next start takes it up at once.
    const retry = isCurrent ? this.#now() : null;
    await this.#parts.database.transaction(async () => {
      await this.#parts.bots.observe(bot.id, { runState: 'ended', retryAt: retry, phase: null, phaseSince: null });
      if (bot.wish.desired === 'stopped') {
        await this.#tell(bot, { type: 'bot.offline', message: `Bot "${bot.name}" was stopped before it ran` });
      }
    });
    return now;
  }

  async #create(bot: Bot): Promise<Next> {
    const { engine, homes, images, bots, logs } = this.#parts;
    const image = await images.ask(bot);
    if (image.state === 'failed') return this.recordStartFailure(bot, image.message);
    if (image.state === 'preparing') {
      if (bot.observed.phase !== 'pulling') await bots.observe(bot.id, { phase: 'pulling', phaseSince: this.#now() });
      return whenWoken;
    }
    if (bot.observed.phase === 'pulling') {
      await bots.observe(bot.id, { phase: 'creating', phaseSince: this.#now() });
      await logs.system(bot.id, bot.observed.run, 'The runtime image is ready');
    }
    await homes.prepare(bot);
    const paths = { home: homes.path(bot.id), passwd: homes.passwdPath(bot.id), launcher: homes.launcherPath };
    try {
      await engine.create(await this.#spec(bot, { imageId: image.imageId, paths }));
    } catch (error) {
      return this.#refused(bot, error);
    }
    return now;
  }

  async #spec(bot: Bot, fittings: Omit<Fittings, 'environment'>): Promise<ContainerSpec> {
    const { bots, builder } = this.#parts;
    if (bot.observed.runKind === 'bot') {
      return containerSpec(bot, { ...fittings, environment: await bots.environment(bot.id) });
    }
    return buildSpec(bot, await builder.command(bot), { ...fittings, memoryMb: builder.memoryMb });
  }

  async #start(bot: Bot, containerId: string): Promise<Next> {
    const { engine, capture } = this.#parts;
    capture.follow(sourceOf(bot, containerId));
    try {
      await engine.start(containerId);
    } catch (error) {
      return this.#refused(bot, error);
    }
    return now;
  }

  /** The engine said no: that is an end of the run. Anything else is unknown and looked into again. */
  async #refused(bot: Bot, error: unknown): Promise<Next> {
    if (!(error instanceof EngineError)) throw error;
    switch (error.code) {
      case 'refused':
        return this.recordStartFailure(bot, error.message);
      case 'foreign':
        return this.recordStartFailure(
          bot,
          'The name of its container is taken by a container that is not of this Botel',
        );
      case 'image_missing':
        this.#parts.images.forget(bot);
        return this.recordStartFailure(bot, 'The runtime image is missing; it is prepared again');
      default:
        throw error;
    }
  }

  async #recordRunning(bot: Bot, observation: Observation): Promise<Next> {
    const isBuild = bot.observed.runKind === 'build';
    await this.#parts.database.transaction(async () => {
      await this.#parts.bots.observe(bot.id, {
        runState: 'running',
        containerId: observation.containerId,
        startedAt: observation.startedAt ?? this.#now(),
        phase: isBuild ? 'installing' : 'running',
        phaseSince: null,
        observedAt: this.#now(),
      });
      if (!isBuild) await this.#tell(bot, onlineEvent(bot, bot.observed.run));
    });
    return now;
  }

  /** The engine completes a stop by itself, so nobody waits here: its end is seen like any other. */
  async #stop(bot: Bot, { containerId, run, graceMs }: Extract<Step, { kind: 'stop' }>): Promise<Next> {
    const { bots, engine } = this.#parts;
    const deadline = this.#now() + graceMs;
    await bots.observe(bot.id, { stopRun: run, stopDeadlineAt: deadline, phase: 'stopping' });
    const call = engine.stop(containerId, graceMs).catch(() => {
      // Its outcome is unknown: the deadline of the stop decides.
    });
    this.#stops.add(call);
    void call.then(() => this.#stops.delete(call));
    return now;
  }

  async #recordEnd(bot: Bot, observation: Observation): Promise<Next> {
    const { capture, logs } = this.#parts;
    const { observed } = bot;
    await capture.drain(sourceOf(bot, observation.containerId));
    const lines = await logs.lastLines(bot.id, observed.run, hintLines);
    const finishedAt = observation.finishedAt ?? this.#now();
    const stopped = observed.stopRun === observed.run;
    const wished = bot.wish.desired === 'running' && observed.runGeneration === bot.wish.generation;
    const isBuild = observed.runKind === 'build';
    const overtime = isBuild && finishedAt - (observation.startedAt ?? finishedAt) >= this.#parts.buildLimitMs;
    const memoryMb = isBuild ? Math.max(bot.memoryMb, this.#parts.builder.memoryMb) : bot.memoryMb;
    const exit = exitOf({
      run: observed.run,
      isBuild,
      overtime,
      started: observation.state !== 'created',
      exitCode: observation.exitCode,
      oomKilled: observation.oomKilled,
      error: observation.error,
      startedAt: observation.startedAt,
      finishedAt,
      stop: {
        asked: stopped && !wished,
        killed: observed.stopKilled || (observation.exitCode === 137 && !observation.oomKilled),
      },
      // A stop that nobody wished is Botel's own: it was ending.
      interrupted:
        (stopped && wished && !overtime) || this.#wasInterrupted(observation.startedAt ?? finishedAt, finishedAt),
      memoryMb,
      memoryPeakMb: observed.memoryPeakMb,
      lastLines: lines.slice(-keptLastLines),
    });
    if (isBuild && exit.code === 0 && exit.reason === 'build_failed') return this.#recordBuilt(bot, exit);
    return this.#recordExit(
      bot,
      { ...exit, hint: exitHint(exit, lines, { language: bot.language, memoryMb }) },
      { containerId: observation.containerId, startedAt: observation.startedAt },
    );
  }

  /** A build is done: its result is known by its key, and the bot itself is next. */
  async #recordBuilt(bot: Bot, exit: Exit): Promise<Next> {
    const { bots, database, logs, builder } = this.#parts;
    const buildKey = await builder.resultKey(bot);
    const seconds = exit.uptimeSeconds.toFixed(1);
    await database.transaction(async () => {
      await bots.observe(bot.id, {
        runState: 'built',
        buildKey,
        pendingBuildKey: null,
        builtEpoch: bot.buildEpoch,
        observedAt: this.#now(),
      });
      await bots.endRun(bot.id, { ...exit, reason: 'exited', message: 'Built' }, bot.observed.startedAt);
      await logs.system(bot.id, exit.run, `Built in ${seconds} s`);
    });
    return now;
  }

  async #recordVanished(bot: Bot): Promise<Next> {
    const { observed } = bot;
    if (observed.containerId) {
      await this.#parts.capture.drain(sourceOf(bot, observed.containerId));
    }
    const stopped = observed.stopRun === observed.run;
    const reason: ExitReason = stopped ? (observed.stopKilled ? 'killed' : 'stopped') : 'vanished';
    return this.#recordExit(bot, {
      at: this.#now(),
      run: observed.run,
      code: null,
      signal: null,
      oom: false,
      reason,
      message: reason === 'vanished' ? 'The container was removed by somebody else' : 'Stopped',
      lastLines: await this.#parts.logs.lastLines(bot.id, observed.run, keptLastLines),
      uptimeSeconds: observed.startedAt === null ? 0 : Math.max(0, (this.#now() - observed.startedAt) / 1000),
      memoryPeakMb: observed.memoryPeakMb,
    });
  }

  /** The end of the present run, counted once: the record leaves `creating` and `running` in the same transaction. */
  async #recordExit(bot: Bot, exit: Exit, seen: Partial<Observed> = {}): Promise<Next> {
    const { observed, wish } = bot;
    const isCurrent = wish.desired === 'running' && observed.runGeneration === wish.generation;
    const failed = isFailure(exit.reason, bot.restartPolicy);
    const before = observed.failuresGeneration === observed.runGeneration ? observed.failures : 0;
    const failures = failed ? countFailures(before, exit.uptimeSeconds) : 0;
    let next: number | null = null;
    if (isCurrent && exit.reason === 'interrupted') next = this.#now();
    else if (isCurrent && failed) next = retryAt(bot.restartPolicy, failures, this.#now(), this.#parts.ids.fraction());
    const change: Partial<Observed> = {
      ...seen,
      runState: 'ended',
      ...(observed.runKind === 'build' && { builtEpoch: bot.buildEpoch }),
      lastExit: exit,
      failures,
      failuresGeneration: observed.runGeneration,
      retryAt: next,
      phase: next === null ? null : 'waiting',
      phaseSince: null,
      observedAt: this.#now(),
    };
    const { database, bots, logs } = this.#parts;
    await database.transaction(async () => {
      await bots.observe(bot.id, change);
      await bots.endRun(bot.id, exit, change.startedAt ?? observed.startedAt);
      await logs.system(bot.id, exit.run, endText(exit, next, this.#now()));
      for (const event of exitEvents(bot, exit, { failures, retryAt: next })) await this.#tell(bot, event);
    });
    return now;
  }

  /** In the transaction of what it tells. Of a bot that its owner deleted nothing more is told. */
  async #tell(bot: Bot, event: NewEvent): Promise<void> {
    if (bot.wish.desired !== 'deleted') await this.#parts.events.add(bot, event, { at: this.#now(), userId: null });
  }

  async #purge(bot: Bot): Promise<Next> {
    this.#parts.capture.forget(bot.id);
    await this.#parts.homes.remove(bot.id);
    await this.#parts.bots.remove(bot.id);
    return whenWoken;
  }

  /** A bot that was online for long after failures starts from zero: that is when its owner hears that it is well. */
  async noteRecovery(botId: string): Promise<void> {
    await this.#parts.database.transaction(async () => {
      const bot = await this.#parts.bots.find(botId);
      if (!bot || statusOf(bot) !== 'online' || bot.observed.failures === 0) return;
      if (this.#now() - (bot.observed.startedAt ?? this.#now()) < forgivingUptimeSeconds * 1000) return;
      await this.#parts.bots.observe(bot.id, { failures: 0 });
      await this.#tell(bot, recoveredEvent(bot));
    });
  }

  /** Refreshes what is only known while a run lives. */
  async samplePeak(bot: Bot): Promise<void> {
    if (bot.observed.runState !== 'running' || !bot.observed.containerId) return;
    const bytes = await this.#parts.engine.memoryPeakBytes(bot.observed.containerId);
    if (bytes === null) return;
    const memoryPeakMb = Math.ceil(bytes / mebibyte);
    if (memoryPeakMb !== bot.observed.memoryPeakMb) await this.#parts.bots.observe(bot.id, { memoryPeakMb });
  }
}

function endText(exit: Exit, next: number | null, at: number): string {
  const uptime = exit.uptimeSeconds < 10 ? exit.uptimeSeconds.toFixed(1) : Math.round(exit.uptimeSeconds);
  const end = `Run ${exit.run} ended after ${uptime} s: ${exit.message}`;
  const hint = exit.hint ? `. Hint: ${hintSentence(exit.hint)}` : '';
  if (next === null) return end + hint;
  const seconds = Math.max(0, (next - at) / 1000);
  return `${end}. ${seconds === 0 ? 'Starting again' : `Next try in ${seconds.toFixed(1)} s`}${hint}`;
}

/** Where the output of the present run's container comes from. */
function sourceOf(bot: Bot, containerId: string): LogSource {
  return { botId: bot.id, run: bot.observed.run, containerId, isBuild: bot.observed.runKind === 'build' };
}
