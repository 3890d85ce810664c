// Holds back the output of bots that write too much: the bot itself waits, and nothing of its output is lost. Looks at
// the growth of every log once a second; the rule is core/domain/flood.ts. Must not read logs.
import { floodEvent } from '../../core/domain/event.ts';
import {
  allowedBytesPerSecond,
  brakedRate,
  type FloodJudgement,
  type FloodState,
  judgeFlood,
  noFlood,
  rateText,
} from '../../core/domain/flood.ts';
import type { Engine, OutputBrake } from '../engine/engine.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { RunOutput } from '../capture/followed-run.ts';
import type { LogCapture } from '../capture/log-capture.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { BotStore } from '../../core/store/bots.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { FloodBook } from '../../core/store/flood-book.ts';
import type { Task } from './driver.ts';

const everyMs = 1_000;
/** A bot that floods again and again is told of as an event once in this time; each time is a line in its log. */
const quietMs = 600_000;

export interface FloodParts {
  engine: Pick<Engine, 'brakeOutput'>;
  capture: Pick<LogCapture, 'outputs'>;
  logs: Pick<LogStore, 'system'>;
  database: Pick<Database, 'transaction'>;
  bots: Pick<BotStore, 'find' | 'wished'>;
  events: Pick<EventStore, 'add'>;
  floods: Pick<FloodBook, 'note' | 'forget'>;
  clock: Clock;
  warn(fields: object, message: string): void;
}

interface Watched {
  lookedAt: number;
  state: FloodState;
  brake: OutputBrake | null;
}

export function brakeFloods(parts: FloodParts): Task {
  const watch = new FloodWatch(parts);
  return { name: 'brake-floods', everyMs, run: () => watch.look() };
}

class FloodWatch {
  readonly #parts: FloodParts;
  #watched = new Map<RunOutput, Watched>();
  /** When an event told of the bot last (ms). */
  readonly #told = new Map<string, number>();

  constructor(parts: FloodParts) {
    this.#parts = parts;
  }

  async look(): Promise<void> {
    const outputs = this.#parts.capture.outputs();
    const present = new Set(outputs);
    for (const [output, { brake }] of this.#watched) {
      if (present.has(output)) continue;
      brake?.[Symbol.dispose]();
      this.#parts.floods.forget(output.source.botId);
      this.#watched.delete(output);
    }
    const now = this.#parts.clock.now();
    for (const [botId, at] of this.#told) if (now - at >= quietMs) this.#told.delete(botId);
    await Promise.all(
      outputs.map((output) =>
        this.#lookAt(output, now).catch((error) =>
          this.#parts.warn({ err: error, ...output.source }, 'output could not be held back or told of'),
        ),
      ),
    );
  }

  async #lookAt(output: RunOutput, now: number): Promise<void> {
    const bytes = output.grown();
    const watched = this.#watched.get(output);
    if (!watched) return void this.#watched.set(output, { lookedAt: now, state: noFlood, brake: null });
    const ms = now - watched.lookedAt;
    // A clock that was set back tells nothing of a rate.
    watched.lookedAt = now;
    if (ms <= 0) return;
    if (watched.brake && !watched.brake.holds) {
      // Let go by the engine: the bot is being stopped, or the connection was cut. A flood that goes on is seen anew.
      watched.brake = null;
      watched.state = noFlood;
    }
    const { braked } = watched.state;
    const heldBack = braked && (watched.brake?.heldBack() ?? true);
    const judgement = judgeFlood(watched.state, { ms, bytes, heldBack });
    watched.state = judgement.state;
    if (watched.state.braked) watched.brake ??= await this.#brake(output);
    await this.#act(output, watched, judgement);
  }

  #brake({ source }: RunOutput): Promise<OutputBrake | null> {
    return this.#parts.engine.brakeOutput(source.containerId, brakedRate).catch((error) => {
      // Tried again with the next look; what comes through meanwhile counts.
      this.#parts.warn({ err: error, ...source }, 'output is not held back yet');
      return null;
    });
  }

  async #act({ source }: RunOutput, watched: Watched, { verdict, bytesPerSecond }: FloodJudgement): Promise<void> {
    if (verdict === 'brake') {
      const rates = `${rateText(bytesPerSecond)} were written, ${rateText(allowedBytesPerSecond)} are allowed`;
      await this.#tell(source, `Output is being held back: ${rates}`, bytesPerSecond);
    } else if (verdict === 'release') {
      watched.brake?.[Symbol.dispose]();
      watched.brake = null;
      await this.#tell(source, 'Output is not held back any more');
    } else if (verdict === 'stop') {
      this.#parts.floods.note(source.botId, source.run);
      this.#parts.bots.wished.publish(source.botId);
    }
  }

  /** A line in the bot's log, and an event where a rate is to be told of that was not told lately. */
  async #tell({ botId, run }: RunOutput['source'], line: string, bytesPerSecond?: number): Promise<void> {
    const { database, logs, bots, events, clock } = this.#parts;
    const at = clock.now();
    await database.transaction(async () => {
      const bot = await bots.find(botId);
      if (!bot) return;
      await logs.system(botId, run, line);
      if (bytesPerSecond === undefined || this.#told.has(botId)) return;
      await events.add(bot, floodEvent(bot, bytesPerSecond), { at, userId: null });
      this.#told.set(botId, at);
    });
  }
}
