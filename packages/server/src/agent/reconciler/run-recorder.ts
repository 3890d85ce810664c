// Records when and where runs are up, and how they end: reason, hint, consecutive failures, the
// next retry, the owner's event; each end once, in one transaction.
import type { ExitReason } from '@botel/contract/vocabulary';
import { type Bot, type Exit, type Observed, runMemoryMb } from '../../core/domain/bot.ts';
import { portOf, portVariable } from '../../core/domain/environment.ts';
import { exitEvents, type NewEvent, onlineEvent, recoveredEvent } from '../../core/domain/event.ts';
import { exitOf, keptLines, reasonOfCut, withoutHostPaths } from '../../core/domain/exit.ts';
import { exitHint, hintLines, hintSentence } from '../../core/domain/exit-hints.ts';
import { checkHindrance, checkText } from '../../core/domain/health.ts';
import { countFailures, forgivingUptimeSeconds, isFailure, retryAt } from '../../core/domain/restart-policy.ts';
import { isReinstalling, statusOf } from '../../core/domain/status.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import type { HttpAnswer } from '../../core/lib/http-probe.ts';
import type { LogSource } from '../capture/followed-run.ts';
import type { Observation } from '../engine/engine.ts';
import type { Deps } from './deps.ts';
import { isCurrentRun } from './lanes.ts';

/** Whether a run of this span (ms) was ended with the engine or the machine. */
export type WasInterrupted = (startedAt: number, finishedAt: number) => boolean;

export class RunRecorder {
  readonly #deps: Omit<Deps, 'engine' | 'homes' | 'images' | 'claims'>;
  readonly #wasInterrupted: WasInterrupted;

  constructor(deps: Omit<Deps, 'engine' | 'homes' | 'images' | 'claims'>, wasInterrupted: WasInterrupted) {
    this.#deps = deps;
    this.#wasInterrupted = wasInterrupted;
  }

  /** Records that the current run's container was seen running. */
  async running(bot: Bot, observation: Observation): Promise<void> {
    const isBuild = bot.observed.runKind === 'build';
    const healthPath = isBuild ? null : (bot.app?.healthPath ?? null);
    const hindrance = checkHindrance(observation.address, bot.app?.port ?? bot.observed.port);
    const checkPath = hindrance === null ? healthPath : null;
    const phase = isBuild ? 'installing' : checkPath === null ? 'running' : 'checking';
    await this.#deps.database.transaction(async () => {
      await this.#deps.observations.record(bot.id, {
        runState: 'running',
        containerId: observation.containerId,
        startedAt: observation.startedAt ?? this.#now(),
        address: isBuild ? null : observation.address,
        checkPath,
        phase,
        phaseSince: phase === 'checking' ? this.#now() : null,
        observedAt: this.#now(),
      });
      if (healthPath !== null && hindrance !== null) {
        await this.#deps.logs.system(bot.id, bot.observed.run, `GET ${healthPath} is not asked: ${hindrance}`);
      }
      if (phase === 'running') await this.addEvent(bot, onlineEvent(bot, bot.observed.run));
    });
  }

  /** Records that the current run passed its health check, or no longer has to. */
  async ready(bot: Bot, answer: HttpAnswer | null): Promise<void> {
    const { database, observations, logs } = this.#deps;
    const { run, checkPath, startedAt } = bot.observed;
    const took = this.#now() - (startedAt ?? this.#now());
    await database.transaction(async () => {
      await observations.record(bot.id, {
        checkPath: null,
        phase: 'running',
        phaseSince: null,
        observedAt: this.#now(),
      });
      await logs.system(bot.id, run, checkText(checkPath ?? '', answer, took));
      await this.addEvent(bot, onlineEvent(bot, run));
    });
  }

  /** Records the current run's present address. */
  async address(bot: Bot, address: string | null): Promise<void> {
    const { bots, observations } = this.#deps;
    // A run that began before ports were recorded had no app.
    const port = bot.observed.port ?? portOf(portVariable(await bots.environment(bot.id), null));
    await observations.record(bot.id, { address, port });
  }

  /** The run could not or must not be started; `message` is shown to the owner. */
  async startFailure(bot: Bot, message: string, reason: ExitReason = 'start_failed'): Promise<void> {
    const exit: Exit = {
      at: this.#now(),
      run: bot.observed.run,
      code: null,
      signal: null,
      oom: false,
      reason,
      message: withoutHostPaths(message),
      lastLines: [],
      uptimeSeconds: 0,
      memoryPeakMb: null,
    };
    return this.#recordExit(bot, { ...exit, hint: exitHint(exit, [], bot) });
  }

  /** Records the end of a container that ended, once its log is drained. */
  async end(bot: Bot, observation: Observation, signal: AbortSignal): Promise<void> {
    const { capture, logs } = this.#deps;
    const { observed } = bot;
    await capture.drain(sourceOf(bot, observation.containerId));
    const lines = await logs.lastLines(bot.id, observed.run, hintLines);
    const finishedAt = observation.finishedAt ?? this.#now();
    const stopped = observed.stopRun === observed.run;
    const wanted =
      (bot.desired.state === 'running' || isReinstalling(bot)) && observed.runGeneration === bot.desired.generation;
    const isBuild = observed.runKind === 'build';
    const overtime = isBuild && finishedAt - (observation.startedAt ?? finishedAt) >= this.#deps.buildLimitMs;
    const memoryMb = isBuild ? Math.max(runMemoryMb(bot), this.#deps.builder.memoryMb) : runMemoryMb(bot);
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
        asked: stopped && !wanted,
        killed: observed.stopKilled || (observation.exitCode === 137 && !observation.oomKilled),
      },
      cut: stopped ? observed.stopReason : null,
      // A stop without a caller was Botel's own: it was shutting down.
      interrupted:
        (stopped && wanted && !overtime) || this.#wasInterrupted(observation.startedAt ?? finishedAt, finishedAt),
      memoryMb,
      memoryPeakMb: observed.memoryPeakMb,
      lastLines: keptLines(lines),
    });
    if (isBuild && exit.code === 0 && exit.reason === 'build_failed') return this.#recordBuilt(bot, exit, signal);
    return this.#recordExit(
      bot,
      { ...exit, hint: exitHint(exit, lines, { language: bot.language, memoryMb }) },
      { containerId: observation.containerId, startedAt: observation.startedAt },
    );
  }

  /** Records the end of a container that no longer exists. */
  async vanished(bot: Bot): Promise<void> {
    const { observed } = bot;
    if (observed.containerId) {
      await this.#deps.capture.drain(sourceOf(bot, observed.containerId));
    }
    const stopped = observed.stopRun === observed.run;
    const { stopReason: cut, stopKilled } = observed;
    const asked = cut ? reasonOfCut(cut, observed.runKind === 'build') : stopKilled ? 'killed' : 'stopped';
    const reason: ExitReason = stopped ? asked : 'vanished';
    return this.#recordExit(bot, {
      at: this.#now(),
      run: observed.run,
      code: null,
      signal: null,
      oom: false,
      reason,
      message: reason === 'vanished' ? 'The container was removed by somebody else' : 'Stopped',
      lastLines: keptLines(await this.#deps.logs.lastLines(bot.id, observed.run, hintLines)),
      uptimeSeconds: observed.startedAt === null ? 0 : Math.max(0, (this.#now() - observed.startedAt) / 1000),
      memoryPeakMb: observed.memoryPeakMb,
    });
  }

  /** A bot online for long enough starts from zero, and its owner is notified of the recovery. */
  async recovery(botId: string): Promise<void> {
    await this.#deps.database.transaction(async () => {
      const bot = await this.#deps.bots.find(botId);
      if (!bot || statusOf(bot) !== 'online' || bot.observed.failures === 0) return;
      if (this.#now() - (bot.observed.startedAt ?? this.#now()) < forgivingUptimeSeconds * 1000) return;
      await this.#deps.observations.record(bot.id, { failures: 0 });
      await this.addEvent(bot, recoveredEvent(bot));
    });
  }

  /** Notifies the owner, in the transaction of the change. Deleted bots cause no more events. */
  async addEvent(bot: Bot, event: NewEvent): Promise<void> {
    if (bot.desired.state !== 'deleted') await this.#deps.events.add(bot, event, { at: this.#now(), userId: null });
  }

  /** A build has finished: records its result by key; the bot itself runs next. */
  async #recordBuilt(bot: Bot, exit: Exit, signal: AbortSignal): Promise<void> {
    const { observations, runs, database, logs, builder } = this.#deps;
    // No longer desired: it must not be read for.
    const buildKey = isCurrentRun(bot) ? await builder.resultKey(bot, signal) : bot.observed.pendingBuildKey;
    const seconds = exit.uptimeSeconds.toFixed(1);
    await database.transaction(async () => {
      await observations.record(bot.id, {
        runState: 'built',
        buildKey,
        pendingBuildKey: null,
        builtEpoch: bot.buildEpoch,
        observedAt: this.#now(),
      });
      await runs.end(bot.id, { ...exit, reason: 'exited', message: 'Built' }, bot.observed.startedAt);
      await logs.system(bot.id, exit.run, `Built in ${seconds} s`);
      await failpoint('built.stored');
    });
  }

  /** Once per run: the record leaves `creating` and `running` in the same transaction. */
  async #recordExit(bot: Bot, exit: Exit, seen: Partial<Observed> = {}): Promise<void> {
    const { observed, desired } = bot;
    const isCurrent = desired.state === 'running' && observed.runGeneration === desired.generation;
    const failed = isFailure(exit.reason, bot.restartPolicy);
    const before = observed.failuresGeneration === observed.runGeneration ? observed.failures : 0;
    const failures = failed ? countFailures(before, exit.uptimeSeconds) : 0;
    let next: number | null = null;
    if (isCurrent && exit.reason === 'interrupted') next = this.#now();
    else if (isCurrent && failed) next = retryAt(bot.restartPolicy, failures, this.#now(), this.#deps.ids.fraction());
    const change: Partial<Observed> = {
      ...seen,
      runState: 'ended',
      address: null,
      port: null,
      checkPath: null,
      // An interrupted build is still requested.
      ...(observed.runKind === 'build' && exit.reason !== 'interrupted' && { builtEpoch: bot.buildEpoch }),
      lastExit: exit,
      failures,
      failuresGeneration: observed.runGeneration,
      retryAt: next,
      phase: next === null ? null : 'waiting',
      phaseSince: null,
      observedAt: this.#now(),
    };
    const { database, observations, runs, logs } = this.#deps;
    await database.transaction(async () => {
      await observations.record(bot.id, change);
      await runs.end(bot.id, exit, change.startedAt ?? observed.startedAt);
      await logs.system(bot.id, exit.run, endText(exit, next, this.#now()));
      for (const event of exitEvents(bot, exit, { failures, retryAt: next })) await this.addEvent(bot, event);
      await failpoint('exit.stored');
    });
  }

  #now(): number {
    return this.#deps.clock.now();
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

/** The source of the output of the current run's container. */
export function sourceOf(bot: Bot, containerId: string): LogSource {
  return { botId: bot.id, run: bot.observed.run, containerId, isBuild: bot.observed.runKind === 'build' };
}
