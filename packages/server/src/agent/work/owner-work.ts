// Work that an owner causes on files: so much at once per owner, within a budget of bytes, entries
// and time, with one signal that ends it. Every loop over files counts what it takes, which is also
// where it learns that it has to end.
import { type BotelError, fail } from '../../core/domain/errors.ts';
import { mebibyte } from '../../core/domain/quota.ts';
import { type Clock, systemClock, type Timer } from '../../core/lib/clock.ts';

const hourMs = 3_600_000;

/** Bounds of one piece of work, and how many of the kind run at once per owner. */
interface KindLimits {
  atOnce: number;
  /** Pieces that wait for their turn; more are refused. */
  waiting: number;
  timeMs: number;
  entries: number;
  /** Ends when its caller is gone or suspended. */
  needsCaller: boolean;
}

/**
 * `change`: copy, compress, extract. `receive` and `download` take as long as their client does.
 * `backup`: backups, restores and bots from backups. Their result stays, so they go on when the
 * caller leaves.
 */
const limitsOf = {
  list: { atOnce: 4, waiting: 32, timeMs: 30_000, entries: 1_000_000, needsCaller: true },
  change: { atOnce: 2, waiting: 32, timeMs: 300_000, entries: 100_000, needsCaller: true },
  receive: { atOnce: 8, waiting: 32, timeMs: hourMs, entries: 1_000_000, needsCaller: true },
  download: { atOnce: 16, waiting: 32, timeMs: 12 * hourMs, entries: 1, needsCaller: true },
  zip: { atOnce: 4, waiting: 32, timeMs: 12 * hourMs, entries: 1_000_000, needsCaller: true },
  backup: { atOnce: 2, waiting: 1000, timeMs: 6 * hourMs, entries: 1_000_000, needsCaller: false },
} as const satisfies Record<string, KindLimits>;

export type WorkKind = keyof typeof limitsOf;

const retrySeconds = 5;
const sweepMs = 2000;
const endMs = 5000;

export interface WorkRequest {
  kind: WorkKind;
  ownerId: string;
  botId: string;
  /** The input field that errors about the budget name. */
  field: string;
  /** Bytes to read, and as many to write; apparent sizes count, with their holes. */
  bytesMax?: number | undefined;
  /** Fires when the caller is gone. */
  signal?: AbortSignal | undefined;
}

/** The budget of a piece of work. What is over it, or aborted, throws a BotelError. */
export interface Work {
  readonly signal: AbortSignal;
  /** Call before reading that many bytes. */
  read(bytes: number): void;
  write(bytes: number): void;
  entry(): void;
}

interface Deps {
  clock: Clock;
  /** Why work on the bot may not go on, null when it may; asked every two seconds. */
  refusal(request: WorkRequest, options: { needsCaller: boolean }): Promise<BotelError | null>;
}

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

export class OwnerWork {
  readonly #deps: Deps;
  readonly #all = new Set<OwnedWork>();
  readonly #lanes = new Map<string, Lane>();
  #sweep: Timer | null = null;
  #isClosed = false;

  constructor(deps: Deps = { clock: systemClock, refusal: async () => null }) {
    this.#deps = deps;
  }

  /** Runs `task` when it is its turn. Rejects with the reason when it was aborted meanwhile. */
  async run<T>(request: WorkRequest, task: (work: Work) => Promise<T>): Promise<T> {
    using work = await this.begin(request);
    try {
      return await task(work);
    } catch (error) {
      throw work.reasonFor(error);
    }
  }

  /** For work that outlives a call: dispose of it at its end. */
  async begin(request: WorkRequest): Promise<OwnedWork> {
    if (this.#isClosed) throw stopping();
    const key = `${request.ownerId} ${request.kind}`;
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    if (lane.waiting.size >= limitsOf[request.kind].waiting) throw fail.rateLimited(retrySeconds);
    this.#lanes.set(key, lane);
    const work = new OwnedWork(request, () => this.#all.delete(work));
    this.#all.add(work);
    this.#arm();
    try {
      work.signal.throwIfAborted();
      if (lane.running >= limitsOf[request.kind].atOnce) await turn(lane, work.signal);
      else lane.running++;
    } catch (error) {
      work[Symbol.dispose]();
      throw error;
    }
    work.begin(this.#deps.clock, () => this.#leave(key, lane));
    return work;
  }

  /** Aborts all work on a bot; resolves when it has ended, or after five seconds. */
  abortBot(botId: string): Promise<void> {
    return this.#abort(({ request }) => request.botId === botId, fail.botNotFound());
  }

  /** Like `abortBot`, for what an account's requests do. */
  abortOwner(ownerId: string): Promise<void> {
    const isOfCaller = ({ request }: OwnedWork) => request.ownerId === ownerId && limitsOf[request.kind].needsCaller;
    return this.#abort(isOfCaller, fail.accountSuspended());
  }

  /** Aborts everything and refuses more; resolves when it has ended, or after five seconds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweep?.cancel();
    await this.#abort(() => true, stopping());
  }

  /** Pieces of work under way or waiting. */
  get size(): number {
    return this.#all.size;
  }

  async #abort(isMeant: (work: OwnedWork) => boolean, reason: BotelError): Promise<void> {
    const meant = [...this.#all].filter(isMeant);
    if (meant.length === 0) return;
    for (const work of meant) work.abort(reason);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, endMs);
    await Promise.race([Promise.all(meant.map(({ ended }) => ended)), late.promise]);
    clearTimeout(timer);
  }

  /** Gives the turn to the next one. */
  #leave(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next) return next();
    lane.running--;
    if (lane.running === 0) this.#lanes.delete(key);
  }

  #arm(): void {
    if (this.#sweep || this.#isClosed || this.#all.size === 0) return;
    this.#sweep = this.#deps.clock.after(sweepMs, () => {
      void this.#endRefused().finally(() => {
        this.#sweep = null;
        this.#arm();
      });
    });
  }

  async #endRefused(): Promise<void> {
    for (const work of this.#all) {
      const { needsCaller } = limitsOf[work.request.kind];
      // A failing store refuses nothing; the next sweep asks again.
      const reason = await this.#deps.refusal(work.request, { needsCaller }).catch(() => null);
      if (reason) work.abort(reason);
    }
  }
}

/** Resolves when the lane's turn passes to this one. */
function turn(lane: Lane, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => () => {
      lane.waiting.delete(onTurn);
      signal.removeEventListener('abort', onAbort);
      end();
    };
    const onTurn = settle(resolve);
    const onAbort = settle(() => reject(signal.reason));
    if (signal.aborted) return reject(signal.reason);
    lane.waiting.add(onTurn);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

export class OwnedWork implements Work, Disposable {
  readonly request: WorkRequest;
  /** Resolves at the end of the work. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  readonly #end: () => void;
  readonly #onCallerGone = () => this.abort(fail.invalidRequest());
  #timer: Timer | null = null;
  #leave: (() => void) | null = null;
  #isEnded = false;
  #read = 0;
  #written = 0;
  #entries = 0;

  constructor(request: WorkRequest, ended: () => void) {
    this.request = request;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = () => {
      ended();
      resolve();
    };
    if (request.signal?.aborted) this.#onCallerGone();
    request.signal?.addEventListener('abort', this.#onCallerGone, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Its turn has come: the time counts. */
  begin(clock: Clock, leave: () => void): void {
    const { kind, field } = this.request;
    this.#leave = leave;
    this.#timer = clock.after(limitsOf[kind].timeMs, () => this.abort(fail.invalidInput(field, 'takes too long')));
  }

  read(bytes: number): void {
    this.#read += bytes;
    this.#check(this.#read);
  }

  write(bytes: number): void {
    this.#written += bytes;
    this.#check(this.#written);
  }

  entry(): void {
    this.#abort.signal.throwIfAborted();
    const { kind, field } = this.request;
    if (++this.#entries > limitsOf[kind].entries) throw fail.invalidInput(field, 'holds too many files');
  }

  abort(reason: BotelError): void {
    this.#abort.abort(reason);
  }

  /** Streams fail with errors of their own when they are aborted. */
  reasonFor(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    this.request.signal?.removeEventListener('abort', this.#onCallerGone);
    this.#leave?.();
    this.#end();
  }

  #check(bytes: number): void {
    this.#abort.signal.throwIfAborted();
    const { field, bytesMax = Number.POSITIVE_INFINITY } = this.request;
    if (bytes <= bytesMax) return;
    throw fail.invalidInput(field, `holds more than ${Math.floor(bytesMax / mebibyte)} MB, counting holes`);
  }
}

function stopping(): BotelError {
  return fail.notReady('the server is stopping');
}
