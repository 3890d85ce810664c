// Live stream of a bot's log: its lines and status changes, in chronological order.
import type { LogEndReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { Bot, Exit } from '../../core/domain/bot.ts';
import { nullOn } from '../../core/domain/errors.ts';
import type { LogFilter } from '../../core/domain/log-line.ts';
import { statusOf, statusReasonOf } from '../../core/domain/status.ts';
import type { TailStart } from '../../core/logs/line-store.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { BotsService, BotView } from '../../core/services/bots.ts';
import { type LineEvent, LineTail } from './line-tail.ts';
import { LiveStream, type LiveStreamDeps, type StreamControl } from './live-stream.ts';

/** `exit` follows the lines of its run. */
type BotLogEvent = LineEvent | { kind: 'status'; view: BotView } | { kind: 'exit'; exit: Exit };

export type LogEvent = BotLogEvent | StreamControl<LogEndReason>;

interface Deps extends LiveStreamDeps {
  bots: Pick<BotsService, 'view'>;
  store: Pick<BotReader, 'changed' | 'find'>;
  logs: Pick<LogStore, 'tail' | 'lastSeq'>;
}

interface Options {
  start: TailStart;
  filter: LogFilter;
}

export class LogEventStream extends LiveStream<BotLogEvent, LogEndReason> {
  readonly #deps: Deps;
  readonly #bot: Bot;
  readonly #options: Options;
  #tail: LineTail | null = null;
  #shown: BotView | null = null;
  /** Set when the bot may have changed; the change is sent after the line `#statusAfter`. */
  #changed = false;
  #statusAfter: number | null = null;

  constructor(deps: Deps, caller: Caller, bot: Bot, options: Options) {
    super(deps, caller);
    this.#deps = deps;
    this.#bot = bot;
    this.#options = options;
    this.onClose(deps.store.changed.on(bot.id, () => this.#noteChange()));
  }

  protected async *begin(): AsyncGenerator<BotLogEvent, void> {
    const { start, filter } = this.#options;
    const source = this.#deps.logs.tail(this.#bot.id, start, { filter, signal: this.signal });
    this.#shown = await this.#view();
    if (this.#shown) yield { kind: 'status', view: this.#shown };
    this.#tail = new LineTail(source, { ready: () => this.notify(), fail: (error) => this.fail(error) });
  }

  protected next(): Iterable<BotLogEvent> | AsyncIterable<BotLogEvent> | null {
    const offset = this.#tail?.offset ?? -1;
    const isStatusDue = this.#statusAfter !== null && offset >= this.#statusAfter;
    return this.#changed || isStatusDue ? this.#changes(offset) : (this.#tail?.next() ?? null);
  }

  protected async check(): Promise<void> {
    if (await this.#deps.store.find(this.#bot.id)) this.#noteChange();
    else this.end('deleted');
  }

  #noteChange(): void {
    this.#changed = true;
    this.notify();
  }

  async *#changes(offset: number): AsyncGenerator<BotLogEvent, void> {
    if (this.#changed) {
      this.#changed = false;
      // Lines committed before the change are sent before it.
      this.#statusAfter = await this.#deps.logs.lastSeq(this.#bot.id);
    }
    if (this.#statusAfter === null || offset < this.#statusAfter) return;
    this.#statusAfter = null;
    const [shown, view] = [this.#shown, await this.#view()];
    if (!view) return;
    this.#shown = view;
    if (isNewExit(shown, view)) yield { kind: 'exit', exit: view.bot.observed.lastExit! };
    if (statusKey(view) !== statusKey(shown)) yield { kind: 'status', view };
  }

  /** The current view of the bot; ends the stream when it is gone. */
  async #view(): Promise<BotView | null> {
    const view = await nullOn('bot_not_found', this.#deps.bots.view(this.caller, this.#bot.id));
    if (!view) this.end('deleted');
    return view;
  }
}

/** Whether `view` has an exit that was not shown yet. */
export function isNewExit(shown: BotView | null, { bot }: BotView): boolean {
  const [before, now] = [shown?.bot.observed.lastExit, bot.observed.lastExit];
  return now !== null && (now.run !== before?.run || now.at !== before.at);
}

/** Key of everything that a status event reports. */
export function statusKey(view: BotView | null): string {
  if (!view) return '';
  const { bot, engineAvailable, phase } = view;
  return JSON.stringify([statusOf(bot), statusReasonOf(bot, engineAvailable), phase, bot.observed.retryAt]);
}
