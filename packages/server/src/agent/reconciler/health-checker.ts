// Polls runs with a health check until one answers well, and then wakes its bot.
import type { Bot } from '../../core/domain/bot.ts';
import { isHealthy } from '../../core/domain/health.ts';
import { type Clock, pause } from '../../core/lib/clock.ts';
import type { HttpAnswer, HttpProbe } from '../../core/lib/http-probe.ts';
import { Semaphore } from '../../core/lib/semaphore.ts';

const askEveryMs = 500;
const timeoutMs = 2_000;
/** Concurrent requests, over all bots. */
const parallelQuestions = 64;

interface Deps {
  probe: HttpProbe;
  clock: Clock;
  appsDomain: string;
}

/** The checks of one run; `answer` is the newest. */
interface Check {
  run: number;
  answer: HttpAnswer | null;
  readonly end: AbortController;
}

export class HealthChecker {
  readonly #deps: Deps;
  readonly #checks = new Map<string, Check>();
  readonly #asking = new Semaphore(parallelQuestions);
  #wake: (botId: string) => void = () => {};

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Sets the callback for bots that answered well. */
  onHealthy(wake: (botId: string) => void): void {
    this.#wake = wake;
  }

  /** The current run's last answer; null before its first answer. */
  answerOf({ id, observed }: Bot): HttpAnswer | null {
    const check = this.#checks.get(id);
    return check?.run === observed.run ? check.answer : null;
  }

  /** Starts polling the bot's current run, unless that is polled already. */
  ask(bot: Bot): void {
    if (this.#checks.get(bot.id)?.run === bot.observed.run) return;
    this.leave(bot.id);
    const check: Check = { run: bot.observed.run, answer: null, end: new AbortController() };
    this.#checks.set(bot.id, check);
    void this.#run(bot, check);
  }

  /** Stops polling the bot and forgets its answer. */
  leave(botId: string): void {
    this.#checks.get(botId)?.end.abort();
    this.#checks.delete(botId);
  }

  stop(): void {
    for (const botId of this.#checks.keys()) this.leave(botId);
  }

  async #run({ id, app, observed }: Bot, check: Check): Promise<void> {
    const { address, checkPath } = observed;
    // An app that names a port is served there, whatever the bot's own PORT is.
    const port = app?.port ?? observed.port;
    if (address === null || port === null || checkPath === null) return;
    const { signal } = check.end;
    const host = app ? `${app.name}.${this.#deps.appsDomain}` : address;
    const question = { address, port, path: checkPath, host, timeoutMs };
    while (!signal.aborted) {
      check.answer = await this.#asking.run(() => this.#deps.probe(question, signal));
      if (!signal.aborted && isHealthy(check.answer)) return this.#wake(id);
      await pause(this.#deps.clock, askEveryMs, signal).catch(() => {
        // Only leave() ends a pause early.
      });
    }
  }
}
