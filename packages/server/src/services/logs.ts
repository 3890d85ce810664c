// What a caller may read of its bots' logs: history, and the live stream of lines and changes. Must not write anything.
import { once } from 'node:events';
import type { Caller } from '../domain/access.ts';
import { fail } from '../domain/errors.ts';
import type { LogFilter, LogRecord, LogStream } from '../domain/log-line.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogStore, TailStart } from '../logs/log-store.ts';
import type { BotStore } from '../store/bots.ts';
import type { AccountsService } from './accounts.ts';
import type { BotsService } from './bots.ts';
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
  readonly #open = new Set<LogEventStream>();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async history(
    caller: Caller,
    botId: string,
    query: LogHistoryQuery,
  ): Promise<{ records: LogRecord[]; hasMore: boolean }> {
    const bot = await this.#parts.bots.own(caller, botId);
    const { run, stream, ...bounds } = query;
    return this.#parts.logs.read(bot.id, { ...bounds, filter: filterOf({ run, stream }, bot.observed.run) });
  }

  /** Opens a live stream; the caller closes it. Fails like any call when the bot is not the caller's. */
  async open(caller: Caller, botId: string, query: LogStreamQuery): Promise<LogEventStream> {
    const bot = await this.#parts.bots.own(caller, botId);
    if (this.#closed) throw fail.notReady('server');
    let open = 0;
    for (const stream of this.#open) if (stream.caller.userId === caller.userId) open++;
    if (open >= openStreamsPerUser) throw fail.tooManyStreams(open, openStreamsPerUser);
    const filter = filterOf(query, bot.observed.run);
    if (query.run === 'last') delete filter.lastRun;
    const stream = new LogEventStream(this.#parts, caller, bot, { start: query.start, filter });
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
