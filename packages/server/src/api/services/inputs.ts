// Writes texts to the stdin of running bots: commits a text and waits for the outcome.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import { inputPatienceMs, inputsMax, type InputState, isSettled } from '../../core/domain/input.ts';
import { statusOf } from '../../core/domain/status.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { Database } from '../../core/store/database.ts';
import type { InputStore } from '../../core/store/inputs.ts';
import type { BotsService } from '../../core/services/bots.ts';

/** Age (ms) from which no caller waits for a text any more. */
const abandonedMs = 2 * inputPatienceMs;

interface Deps {
  database: Database;
  bots: Pick<BotsService, 'own'>;
  inputs: InputStore;
  clock: Clock;
}

export class InputsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves with the number of bytes once the bot's stdin has accepted `text` unchanged. */
  async send(caller: Caller, botId: string, text: string): Promise<{ bytes: number }> {
    const id = await this.#accept(caller, botId, text);
    try {
      switch (await this.#outcome(id)) {
        case 'delivered':
          return { bytes: Buffer.byteLength(text) };
        case 'offline':
        case null:
          throw fail.conflict('bot_not_online');
        case 'unread':
          throw fail.conflict('stdin_full');
        default:
          throw fail.engineUnavailable();
      }
    } finally {
      await this.#deps.inputs.remove(id);
    }
  }

  #accept(caller: Caller, botId: string, text: string): Promise<number> {
    const { database, bots, inputs, clock } = this.#deps;
    return database.transaction(async () => {
      const bot = await bots.own(caller, botId);
      if (statusOf(bot) !== 'online') throw fail.conflict('bot_not_online');
      if (!bot.observed.runStdin) throw fail.conflict('stdin_closed');
      const now = clock.now();
      await inputs.prune(now - abandonedMs);
      if ((await inputs.count(bot.id)) >= inputsMax) throw fail.botBusy('input');
      return inputs.add({ botId: bot.id, run: bot.observed.run, text, createdAt: now });
    });
  }

  /** The outcome; null when deleted with the bot; the current state on timeout. */
  async #outcome(id: number): Promise<InputState | null> {
    const { inputs, clock } = this.#deps;
    const { promise: settledOrLate, resolve } = Promise.withResolvers<void>();
    const leave = inputs.settled.on(String(id), () => resolve());
    const timer = clock.after(inputPatienceMs, resolve);
    try {
      // The outcome may precede the listener.
      const state = await inputs.state(id);
      if (state === null || isSettled(state)) return state;
      await settledOrLate;
      return await inputs.state(id);
    } finally {
      leave();
      timer.cancel();
    }
  }
}
