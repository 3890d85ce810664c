// Reports processes of bots that were killed for memory: a log line at once, and an event when the
// bot itself survives. The bot's own end is reported where ends are recorded.
import { runMemoryMb } from '../../core/domain/bot.ts';
import { processKilledEvent } from '../../core/domain/event.ts';
import { statusOf } from '../../core/domain/status.ts';
import type { Timer } from '../../core/lib/clock.ts';
import type { Deps } from './deps.ts';
import type { RunRecorder } from './run-recorder.ts';

/** The engine reports the kill before the end that may follow it. */
const checkAfterMs = 1_000;
/** A bot whose workers die all the time is reported once a minute. */
const quietMs = 60_000;

type KillDeps = Pick<Deps, 'engine' | 'database' | 'bots' | 'logs' | 'clock'>;
type Failed = (botId: string, error: unknown) => void;

export class MemoryKills {
  readonly #deps: KillDeps;
  readonly #recorder: Pick<RunRecorder, 'addEvent'>;
  readonly #failed: Failed;
  readonly #checks = new Map<string, Timer>();
  /** Time of the last report by bot (ms). */
  readonly #reportedAt = new Map<string, number>();

  constructor(deps: KillDeps, recorder: Pick<RunRecorder, 'addEvent'>, failed: Failed) {
    this.#deps = deps;
    this.#recorder = recorder;
    this.#failed = failed;
  }

  /** The engine reported that a process of the bot was killed. */
  note(botId: string): void {
    this.#write(botId).catch((error) => this.#failed(botId, error));
  }

  stop(): void {
    for (const timer of this.#checks.values()) timer.cancel();
    this.#checks.clear();
  }

  async #write(botId: string): Promise<void> {
    const { bots, logs, clock } = this.#deps;
    const bot = await bots.find(botId);
    if (!bot) return;
    const { run } = bot.observed;
    await logs.system(botId, run, `Out of memory: a process was killed at the limit of ${runMemoryMb(bot)} MB`);
    if (this.#checks.has(botId) || clock.now() - (this.#reportedAt.get(botId) ?? -quietMs) < quietMs) return;
    const timer = clock.after(checkAfterMs, () => {
      this.#checks.delete(botId);
      this.#reportIfAlive(botId, run).catch((error) => this.#failed(botId, error));
    });
    this.#checks.set(botId, timer);
  }

  async #reportIfAlive(botId: string, run: number): Promise<void> {
    const { engine, database, bots, clock } = this.#deps;
    const container = await engine.inspect(botId);
    if (container?.state !== 'running' || container.run !== run) return;
    await database.transaction(async () => {
      const bot = await bots.find(botId);
      if (!bot || bot.observed.run !== run || statusOf(bot) !== 'online') return;
      this.#reportedAt.set(botId, clock.now());
      await this.#recorder.addEvent(bot, processKilledEvent(bot));
    });
  }
}
