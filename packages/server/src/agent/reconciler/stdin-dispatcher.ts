// Delivers texts to stdin: in order per bot, each at most once and only to its intended run.
import { type InputState, inputFreshMs } from '../../core/domain/input.ts';
import { type Engine, EngineError } from '../engine/engine.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import { KeyedQueue } from '../../core/lib/keyed-queue.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { InputStore, NewInput } from '../../core/store/inputs.ts';

const parallelBots = 32;

export interface StdinDispatcherDeps {
  inputs: InputStore;
  bots: Pick<BotReader, 'find'>;
  engine: Pick<Engine, 'writeStdin'>;
  clock: Clock;
  /** Reports failures; never contains a text. */
  log: { warn(fields: object, message: string): void };
}

export class StdinDispatcher {
  readonly #parts: StdinDispatcherDeps;
  readonly #queue: KeyedQueue<'all'>;
  #unsubscribe: () => void = () => {};

  constructor(parts: StdinDispatcherDeps) {
    this.#parts = parts;
    this.#queue = new KeyedQueue({
      lanes: { all: { workers: parallelBots } },
      work: (botId) => this.#deliver(botId),
      onError: (botId, error) => parts.log.warn({ bot: botId, err: error }, 'input not delivered'),
      now: () => parts.clock.now(),
    });
  }

  /** Starts to deliver, with the pending texts first. */
  async start(): Promise<void> {
    const waiting = await this.#parts.inputs.takeUp();
    this.#unsubscribe = this.#parts.inputs.given.onAny((botId) => this.#queue.add(botId, 'all'));
    for (const botId of waiting) this.#queue.add(botId, 'all');
  }

  /** Accepts no more; resolves when no write is in progress. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#queue.stop();
  }

  async #deliver(botId: string): Promise<void> {
    const { inputs } = this.#parts;
    for (;;) {
      const input = await inputs.take(botId);
      if (!input) return;
      await failpoint('input.taken');
      const state = await this.#write(input);
      await failpoint('input.written');
      await inputs.settle(input.id, state);
    }
  }

  async #write({ botId, run, text, createdAt }: NewInput): Promise<InputState> {
    const { bots, engine, clock, log } = this.#parts;
    if (clock.now() - createdAt > inputFreshMs) return 'failed';
    const observed = (await bots.find(botId))?.observed;
    if (observed?.run !== run || observed.runState !== 'running' || !observed.containerId) return 'offline';
    try {
      // A container lives for one run: its id can't belong to another.
      await engine.writeStdin(observed.containerId, text);
      return 'delivered';
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 'unread') return 'unread';
      if (error.code === 'refused' || error.code === 'unmanaged') return 'offline';
      log.warn({ bot: botId, err: error }, 'input not delivered');
      return 'failed';
    }
  }
}
