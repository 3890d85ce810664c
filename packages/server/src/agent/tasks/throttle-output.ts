// Throttles the output of bots that write too much: the bot itself waits, so throttling loses no
// output. Samples the growth of every log once a second; the rule is
// core/domain/output-throttle.ts.
import { throttleEvent } from '../../core/domain/event.ts';
import {
  allowedBytesPerSecond,
  throttledRate,
  type ThrottleDecision,
  type ThrottleState,
  evaluateThrottle,
  unthrottled,
  rateText,
} from '../../core/domain/output-throttle.ts';
import type { Engine, OutputThrottle } from '../engine/engine.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { RunOutput } from '../capture/followed-run.ts';
import type { LogCapture } from '../capture/log-capture.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { Task } from './driver.ts';

const everyMs = 1_000;
/** Between two events for a bot that floods repeatedly; its log gets a line each time. */
const quietMs = 600_000;

export interface ThrottleDeps {
  engine: Pick<Engine, 'throttleOutput'>;
  capture: Pick<LogCapture, 'outputs'>;
  logs: Pick<LogStore, 'system'>;
  database: Pick<Database, 'transaction'>;
  bots: Pick<BotReader, 'find' | 'desiredChanged'>;
  events: Pick<EventStore, 'add'>;
  /** The run of each bot whose output can't be throttled: the reconciler stops it. */
  unstoppable: Map<string, number>;
  clock: Clock;
  warn(fields: object, message: string): void;
}

interface Watched {
  checkedAt: number;
  state: ThrottleState;
  throttle: OutputThrottle | null;
}

export function throttleOutputTask(parts: ThrottleDeps): Task {
  const monitor = new OutputMonitor(parts);
  return { name: 'throttle-floods', everyMs, run: () => monitor.sampleAll() };
}

class OutputMonitor {
  readonly #parts: ThrottleDeps;
  #watched = new Map<RunOutput, Watched>();
  /** Time of the last event, by bot (ms). */
  readonly #notifiedAt = new Map<string, number>();

  constructor(parts: ThrottleDeps) {
    this.#parts = parts;
  }

  async sampleAll(): Promise<void> {
    const outputs = this.#parts.capture.outputs();
    const present = new Set(outputs);
    for (const [output, { throttle }] of this.#watched) {
      if (present.has(output)) continue;
      throttle?.[Symbol.dispose]();
      this.#parts.unstoppable.delete(output.source.botId);
      this.#watched.delete(output);
    }
    const now = this.#parts.clock.now();
    for (const [botId, at] of this.#notifiedAt) if (now - at >= quietMs) this.#notifiedAt.delete(botId);
    await Promise.all(
      outputs.map((output) =>
        this.#sample(output, now).catch((error) =>
          this.#parts.warn({ err: error, ...output.source }, 'output could not be held back or told of'),
        ),
      ),
    );
  }

  async #sample(output: RunOutput, now: number): Promise<void> {
    const bytes = output.grown();
    const watched = this.#watched.get(output);
    if (!watched) return void this.#watched.set(output, { checkedAt: now, state: unthrottled, throttle: null });
    const ms = now - watched.checkedAt;
    // A clock that went back gives no rate.
    watched.checkedAt = now;
    if (ms <= 0) return;
    if (watched.throttle && !watched.throttle.holds) {
      // The bot is being stopped, or the connection was cut. A flood is detected again.
      watched.throttle = null;
      watched.state = unthrottled;
    }
    const { throttled } = watched.state;
    const heldBack = throttled && (watched.throttle?.heldBack() ?? true);
    const judgement = evaluateThrottle(watched.state, { ms, bytes, heldBack });
    watched.state = judgement.state;
    if (watched.state.throttled) watched.throttle ??= await this.#throttle(output);
    await this.#act(output, watched, judgement);
  }

  #throttle({ source }: RunOutput): Promise<OutputThrottle | null> {
    return this.#parts.engine.throttleOutput(source.containerId, throttledRate).catch((error) => {
      // Retried at the next sample; what passes meanwhile counts.
      this.#parts.warn({ err: error, ...source }, 'output is not held back yet');
      return null;
    });
  }

  async #act({ source }: RunOutput, watched: Watched, { verdict, bytesPerSecond }: ThrottleDecision): Promise<void> {
    if (verdict === 'throttle') {
      const rates = `${rateText(bytesPerSecond)} were written, ${rateText(allowedBytesPerSecond)} are allowed`;
      await this.#report(source, `Output is being held back: ${rates}`, bytesPerSecond);
    } else if (verdict === 'release') {
      watched.throttle?.[Symbol.dispose]();
      watched.throttle = null;
      await this.#report(source, 'Output is not held back any more');
    } else if (verdict === 'stop') {
      this.#parts.unstoppable.set(source.botId, source.run);
      this.#parts.bots.desiredChanged.publish(source.botId);
    }
  }

  /** A line in the bot's log, and an event when a rate is given and none was sent lately. */
  async #report({ botId, run }: RunOutput['source'], line: string, bytesPerSecond?: number): Promise<void> {
    const { database, logs, bots, events, clock } = this.#parts;
    const at = clock.now();
    await database.transaction(async () => {
      const bot = await bots.find(botId);
      if (!bot) return;
      await logs.system(botId, run, line);
      if (bytesPerSecond === undefined || this.#notifiedAt.has(botId)) return;
      await events.add(bot, throttleEvent(bot, bytesPerSecond), { at, userId: null });
      this.#notifiedAt.set(botId, at);
    });
  }
}
