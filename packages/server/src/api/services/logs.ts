// What callers may read of their bots' logs: history, downloads, the live stream.
import type { LogStream } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { LogFilter } from '../../core/domain/log-line.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { LogBounds, LogFound, LogQuery, TailStart } from '../../core/logs/line-store.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import type { BotsService } from '../../core/services/bots.ts';
import { LogDownload } from './log-download.ts';
import { LogEventStream } from './log-event-stream.ts';
import type { OpenStreams } from './open-streams.ts';

/** A run by number, or the newest one at the call (`last`; live streams go on to later ones). */
interface Wanted {
  run?: number | 'last' | undefined;
  stream?: LogStream | undefined;
}

interface Deps {
  bots: BotsService;
  accounts: Pick<Authenticator, 'stillValid'>;
  store: BotReader;
  logs: LogStore;
  streams: OpenStreams;
  clock: Clock;
}

export class LogsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async history(caller: Caller, botId: string, query: Wanted & Omit<LogQuery, 'filter'>): Promise<LogFound> {
    const bot = await this.#deps.bots.own(caller, botId);
    const { run, stream, ...bounds } = query;
    return this.#deps.logs.read(bot.id, { ...bounds, filter: filterOf({ run, stream }, bot.observed.run) });
  }

  /** Opens a download of the stored lines; it counts as a stream, and the caller closes it. */
  async download(caller: Caller, botId: string, query: Wanted & LogBounds): Promise<LogDownload> {
    const bot = await this.#deps.bots.own(caller, botId);
    const { run, stream, ...bounds } = query;
    const wanted = { ...bounds, filter: filterOf({ run, stream }, bot.observed.run) };
    const { store, logs, streams } = this.#deps;
    const isThere = async () => (await store.find(bot.id)) !== null;
    const subject = { key: bot.id, name: bot.name, lines: logs, isThere };
    return streams.add(caller, () => new LogDownload(this.#deps, caller, subject, wanted));
  }

  /** Opens a live stream, which the caller closes. Fails when the bot is not the caller's. */
  async open(caller: Caller, botId: string, query: Wanted & { start: TailStart }): Promise<LogEventStream> {
    const bot = await this.#deps.bots.own(caller, botId);
    const filter = filterOf(query, bot.observed.run);
    if (query.run === 'last') delete filter.lastRun;
    const options = { start: query.start, filter };
    return this.#deps.streams.add(caller, () => new LogEventStream(this.#deps, caller, bot, options));
  }
}

function filterOf({ run, stream }: Wanted, lastRun: number): LogFilter {
  const number = run === 'last' ? lastRun : run;
  return { stream, firstRun: number, lastRun: number };
}
