// Runs whose output no brake holds, told by who watches it to who ends them. In memory: a flood that goes on is seen anew.
import type { Bot, StopReason } from '../domain/bot.ts';

export class FloodBook {
  /** Numbers of such runs, by bot. */
  readonly #runs = new Map<string, number>();

  note(botId: string, run: number): void {
    this.#runs.set(botId, run);
  }

  forget(botId: string): void {
    this.#runs.delete(botId);
  }

  /** Whether the bot's present run has to be stopped. */
  mustStop({ id, observed }: Pick<Bot, 'id' | 'observed'>): StopReason | null {
    return this.#runs.get(id) === observed.run ? 'flood' : null;
  }
}
