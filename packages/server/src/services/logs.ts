// What a caller may read of its bots' logs: history, downloads, and the live stream of lines and changes. Must not write anything.
import { once } from 'node:events';
import type { Caller } from '../domain/access.ts';
import { fail } from '../domain/errors.ts';
import type { LogFilter, LogStream } from '../domain/log-line.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogFound, LogStore, TailStart } from '../logs/log-store.ts';
import type { BotStore } from '../store/bots.ts';
import type { AccountsService } from './accounts.ts';
import type { BotsService } from './bots.ts';
import { LogDownload } from './log-download.ts';
import { LogEventStream } from './log-event-stream.ts';

const openStreamsPerUser = 10;

/** Which run: one, or the newest at the time of asking (`last`; a live stream goes on with those after it). */
interface Wanted {
  run?: number | 'last' | undefined;
  stream?: LogStream | undefined;
}

/** Times in ms; see LogStore.read. */
export interface LogHistoryQuery extends Wanted {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
  since?: number | undefined;
  until?: number | undefined;
  contains?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Times in ms. */
export interface LogDownloadQuery extends Wanted {
  since?: number | undefined;
  until?: number | undefined;
  contains?: string | undefined;
}

export interface LogStreamQuery extends Wanted {
  start: TailStart;
}

interface Parts {
  bots: BotsService;
  accounts: AccountsService;
  store: BotStore;
  logs: LogStore;
  clock: Clock;
}

export class LogsService {
  readonly #parts: Parts;
  readonly #open = new Set<LogEventStream | LogDownload>();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async history(caller: Caller, botId: string, query: LogHistoryQuery): Promise<LogFound> {
    const bot = await this.#parts.bots.own(caller, botId);
    const { run, stream, ...bounds } = query;
    return this.#parts.logs.read(bot.id, { ...bounds, filter: filterOf({ run, stream }, bot.observed.run) });
  }

  /** Opens a download of what is stored; it counts as a stream, and the caller closes it. */
  async download(caller: Caller, botId: string, query: LogDownloadQuery): Promise<LogDownload> {
    const bot = await this.#parts.bots.own(caller, botId);
    const { run, stream, ...bounds } = query;
    const wanted = { ...bounds, filter: filterOf({ run, stream }, bot.observed.run) };
    return this.#register(caller, () => new LogDownload(this.#parts, caller, bot, wanted));
  }

  /** Opens a live stream; the caller closes it. Fails like any call when the bot is not the caller's. */
  async open(caller: Caller, botId: string, query: LogStreamQuery): Promise<LogEventStream> {
    const bot = await this.#parts.bots.own(caller, botId);
    const filter = filterOf(query, bot.observed.run);
    if (query.run === 'last') delete filter.lastRun;
    const options = { start: query.start, filter };
    return this.#register(caller, () => new LogEventStream(this.#parts, caller, bot, options));
  }

  #register<S extends LogEventStream | LogDownload>(caller: Caller, make: () => S): S {
    if (this.#closed) throw fail.notReady('server');
    let open = 0;
    for (const stream of this.#open) if (stream.caller.userId === caller.userId) open++;
    if (open >= openStreamsPerUser) throw fail.tooManyStreams(open, openStreamsPerUser);
    const stream = make();
    this.#open.add(stream);
    stream.signal.addEventListener('abort', () => this.#open.delete(stream));
    return stream;
  }

  /** Ends all streams and opens no more; resolves when their last event is sent, or their clients did not take it. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = [...this.#open].map((stream) => once(stream.signal, 'abort'));
    for (const stream of this.#open) stream.end('server_stopping');
    await Promise.all(closed);
  }
}

function filterOf({ run, stream }: Wanted, lastRun: number): LogFilter {
  const number = run === 'last' ? lastRun : run;
  return { stream, firstRun: number, lastRun: number };
}
