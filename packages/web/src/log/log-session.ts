// The log of one bot while its page is open: the live stream into the line store, and history on
// demand.
import type { ServerEvent } from '@botel/contract/events';
import type { LogDroppedData, LogHistoryData, LogTextData } from '@botel/contract/logs';
import { read } from '../api/calls.ts';
import { backOffMs } from '../api/live-changes.ts';
import { openEvents } from '../api/open-events.ts';
import { hiddenLong, untilVisible } from '../lib/page-visibility.ts';
import { ValueStore } from '../lib/value-store.ts';
import { followLog, type LogConnection } from './follow-log.ts';
import { LineStore } from './line-store.ts';
import { type GapRow, rowOf } from './log-row.ts';

/** Initial number of lines (public/head.js requests them), and lines per page of history. */
const tailLines = 200;
const pageLines = 500;
/** Lines loaded after the one named in the URL. */
const linesAround = 100;
/** Pages of history that one search reads at most. */
const maxSearches = 20;
/** Lines applied per frame without stutter on a slow machine. */
const perFrame = 20;

export type HistoryState = { kind: 'idle' | 'loading' | 'complete' } | { kind: 'failed'; error: unknown };

/** `until`: time of the next attempt, in ms since the epoch. */
export type ShownConnection = LogConnection & { until?: number };

export class LogSession {
  readonly #botId: string;
  readonly store: LineStore;
  readonly connection = new ValueStore<ShownConnection>({ kind: 'connecting', failures: 0 });
  /** `complete`: there are no lines before the first one. */
  readonly history = new ValueStore<HistoryState>({ kind: 'idle' });

  /** The line that the URL or a search navigated to. */
  readonly target = new ValueStore<number | null>(null);

  constructor(botId: string, cap: number) {
    this.#botId = botId;
    this.store = new LineStore({ cap, perFrame, schedule: (flush) => void requestAnimationFrame(flush) });
  }

  /** Follows the stream while the page can be seen, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const hidden = hiddenLong(signal);
      await followLog({
        open: (after, each) => openEvents(this.#streamPath(), after === null ? null : String(after), each),
        newest: () => this.store.newest,
        onEvent: (event) => this.#take(event),
        onConnection: (state) =>
          this.connection.set(state.kind === 'waiting' ? { ...state, until: Date.now() + state.delayMs } : state),
        delayMs: (failures) => backOffMs(failures, Math.random()),
        wait: (ms, each) => waitFor(ms, AbortSignal.any([each, retry.signal])),
        signal: hidden.signal,
      });
      hidden.end();
      if (!hidden.signal.aborted) return;
      if (document.hidden) await untilVisible(signal);
    }
  }

  #streamPath(): string {
    return `/bots/${this.#botId}/logs/stream?tail=${tailLines}`;
  }

  #take({ event, data }: ServerEvent): void {
    if (event === 'log' || event === 'dropped') this.store.push(rowOf(withKind(event, data)));
    if (event === 'gap') {
      const { from, to, reason } = data as { from: number; to: number; reason: GapRow['reason'] };
      this.store.push({ kind: 'gap', seq: from, to, reason });
    }
  }

  /** Lines before the first one that is shown. */
  async loadOlder(): Promise<void> {
    const { first } = this.store.snapshot();
    const before = first ?? (this.store.newest ?? 0) + 1;
    if (this.history.get().kind === 'loading') return;
    await this.#loading(async () => {
      const page = await this.#read(`before=${before}&limit=${pageLines}`);
      const from = page.lines[0]?.seq ?? before;
      if (page.lines.length > 0) this.store.insert(page.lines.map(rowOf), { from, to: before - 1 });
      return page.has_more;
    });
  }

  /** Loads the lines of a gap, or the first page of them. */
  readonly fillGap = async (gap: GapRow): Promise<void> => {
    await this.#loading(async () => {
      const page = await this.#read(`after=${gap.seq - 1}&before=${gap.to + 1}&limit=${pageLines}`);
      const to = page.has_more ? (page.lines.at(-1)?.seq ?? gap.to) : gap.to;
      this.store.insert(page.lines.map(rowOf), { from: gap.seq, to });
      return null;
    });
  };

  /** The line with this number and those around it; whether they are there now. */
  async loadAround(seq: number): Promise<boolean> {
    let isThere = false;
    await this.#loading(async () => {
      const page = await this.#read(`before=${seq + linesAround + 1}&limit=${2 * linesAround}`);
      const from = page.lines[0]?.seq;
      const to = page.lines.at(-1)?.seq;
      if (from === undefined || to === undefined) return false;
      this.store.insert(page.lines.map(rowOf), { from, to });
      isThere = page.lines.some((line) => line.seq === seq);
      return page.has_more;
    });
    return isThere;
  }

  /** The newest lines of a run; number of the last of them, null where there are none. */
  async loadRun(run: number): Promise<number | null> {
    let last: number | null = null;
    await this.#loading(async () => {
      const { lines } = await this.#read(`run=${run}&limit=${pageLines}`);
      for (const piece of piecesOf(lines)) {
        const [from, to] = [piece[0]!.seq, piece.at(-1)!.seq];
        this.store.insert(piece.map(rowOf), { from, to });
        last = to;
      }
      return null;
    });
    return last;
  }

  /** Number of the nearest older line that contains the text; null = none. */
  async findOlder(wanted: string): Promise<number | null> {
    let before = this.store.snapshot().first ?? 1;
    let found: number | null = null;
    await this.#loading(async () => {
      for (let pages = 0; pages < maxSearches; pages++) {
        const page = await this.#read(`before=${before}&limit=1&q=${encodeURIComponent(wanted)}`);
        found = page.lines.at(-1)?.seq ?? null;
        if (found !== null || !page.has_more || page.next_seq === null) return null;
        before = page.next_seq;
      }
      return null;
    });
    return found;
  }

  #read(query: string): Promise<LogHistoryData> {
    return read<LogHistoryData>(`/bots/${this.#botId}/logs?${query}`);
  }

  /** `work` resolves with whether there are older lines; null = unknown. */
  async #loading(work: () => Promise<boolean | null>): Promise<void> {
    const before = this.history.get();
    this.history.set({ kind: 'loading' });
    try {
      const hasMore = await work();
      if (hasMore === null) this.history.set(before.kind === 'complete' ? before : { kind: 'idle' });
      else this.history.set({ kind: hasMore ? 'idle' : 'complete' });
    } catch (error) {
      this.history.set({ kind: 'failed', error });
    }
  }
}

function withKind(event: string, data: unknown): LogTextData | LogDroppedData {
  return event === 'dropped' ? { ...(data as LogDroppedData), dropped: true } : (data as LogTextData);
}

/** The lines as contiguous pieces. */
function piecesOf<Line extends { seq: number }>(lines: readonly Line[]): Line[][] {
  const pieces: Line[][] = [];
  for (const line of lines) {
    const piece = pieces.at(-1);
    if (piece && line.seq === piece.at(-1)!.seq + 1) piece.push(line);
    else pieces.push([line]);
  }
  return pieces;
}

/** Ends the backoff of all sessions: the user wants to retry now. */
let retry = new AbortController();

export function retryLogs(): void {
  const ended = retry;
  retry = new AbortController();
  ended.abort();
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
