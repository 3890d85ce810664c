// Knows which images are ready and prepares missing ones in the background, without one bot's wait
// blocking another. Writes the progress into the log of every waiting bot.
import type { Bot } from '../../core/domain/bot.ts';
import { type Runtime, runtimeName, runtimeOf } from '../../core/domain/runtime.ts';
import type { Engine } from '../engine/engine.ts';
import { KeyedLock } from '../../core/lib/keyed-lock.ts';
import type { LogStore } from '../../core/logs/log-store.ts';

export type ImageAnswer =
  | { state: 'ready'; imageId: string }
  | { state: 'preparing' }
  | { state: 'missing' }
  | { state: 'failed'; message: string };

interface Preparation {
  /** Waiting bots, each with its run. */
  waiting: Map<string, number>;
  lastText: string | null;
}

export class ImagePreparer {
  readonly #engine: Pick<Engine, 'findImage' | 'prepareImage'>;
  readonly #logs: Pick<LogStore, 'system'>;
  readonly #ready = new Map<string, string>();
  readonly #preparing = new Map<string, Preparation>();
  /** Failures not yet returned to the bot that waited; `key` is its image. */
  readonly #failed = new Map<string, { key: string; run: number; message: string }>();
  /** Images with packages: one at a time per owner, so that nobody waits behind another. */
  readonly #ownerLock = new KeyedLock();
  readonly #background = new Set<Promise<void>>();
  #wake: (botId: string) => void = () => {};

  constructor(engine: Pick<Engine, 'findImage' | 'prepareImage'>, logs: Pick<LogStore, 'system'>) {
    this.#engine = engine;
    this.#logs = logs;
  }

  /** Sets the callback for the end of a bot's wait. */
  onDone(wake: (botId: string) => void): void {
    this.#wake = wake;
  }

  /** The image for the current run; prepares a missing one unless `prepare` is false. */
  async ask(bot: Bot, { prepare = true } = {}): Promise<ImageAnswer> {
    const runtime = runtimeOf(bot);
    const key = runtimeName(runtime);
    const ready = this.#ready.get(key);
    if (ready) return { state: 'ready', imageId: ready };
    const failure = this.#failed.get(bot.id);
    this.#failed.delete(bot.id);
    // The owner may have chosen another image meanwhile, or stopped and started the bot.
    const isOfNow = failure?.key === key && failure.run === bot.observed.run;
    if (isOfNow) return { state: 'failed', message: failure.message };
    if (!this.#preparing.has(preparationKey(runtime, bot))) {
      const imageId = await this.#engine.findImage(runtime);
      if (imageId) {
        this.#keep(runtime, imageId);
        return { state: 'ready', imageId };
      }
      if (!prepare) return { state: 'missing' };
    }
    await this.#join(runtime, bot);
    return { state: 'preparing' };
  }

  /** The image is gone: the next call looks it up again. */
  forget(bot: Bot): void {
    this.#ready.delete(runtimeName(runtimeOf(bot)));
  }

  /** Resolves when no preparation is in progress. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  /** Images with packages are looked up each time: they are removed when no bot needs them. */
  #keep(runtime: Runtime, imageId: string): void {
    if (runtime.packages.length === 0) this.#ready.set(runtimeName(runtime), imageId);
  }

  async #join(runtime: Runtime, bot: Bot): Promise<void> {
    const key = preparationKey(runtime, bot);
    let preparation = this.#preparing.get(key);
    const isNew = !preparation;
    if (!preparation) {
      preparation = { waiting: new Map(), lastText: null };
      this.#preparing.set(key, preparation);
    }
    if (preparation.waiting.get(bot.id) === bot.observed.run) return;
    for (const other of this.#preparing.values()) other.waiting.delete(bot.id);
    preparation.waiting.set(bot.id, bot.observed.run);
    if (isNew) {
      const made = preparation;
      const prepare = () => this.#prepare(runtime, made);
      const work = (runtime.packages.length === 0 ? prepare() : this.#ownerLock.run(bot.ownerId, prepare)).then(() =>
        this.#end(key, made),
      );
      this.#background.add(work);
      void work.then(() => this.#background.delete(work));
    }
    await this.#logs.system(
      bot.id,
      bot.observed.run,
      preparation.lastText ?? `Preparing the runtime ${runtimeName(runtime)} (first use on this machine)`,
    );
  }

  async #prepare(runtime: Runtime, preparation: Preparation): Promise<void> {
    const written: Promise<void>[] = [];
    const report = (text: string) => {
      preparation.lastText = text;
      for (const [botId, run] of preparation.waiting) {
        // A line that can't be stored must not stop the preparation; the bot may be gone.
        written.push(this.#logs.system(botId, run, text).catch(() => undefined));
      }
    };
    try {
      this.#keep(runtime, await this.#engine.prepareImage(runtime, report));
    } catch (error) {
      const message = `The ${runtime.language} runtime could not be prepared: ${(error as Error).message}`;
      const key = runtimeName(runtime);
      for (const [botId, run] of preparation.waiting) this.#failed.set(botId, { key, run, message });
    }
    await Promise.all(written);
  }

  #end(key: string, { waiting }: Preparation): void {
    this.#preparing.delete(key);
    for (const botId of waiting.keys()) this.#wake(botId);
  }
}

/** The engine shares the work of owners who prepare the same image at once. */
function preparationKey(runtime: Runtime, { ownerId }: Bot): string {
  return runtime.packages.length === 0 ? runtimeName(runtime) : `${ownerId} ${runtimeName(runtime)}`;
}
