// Keeps track of whether the engine answers: holds its event stream open, reconnects, and requests
// a full resync on every (re)connection and every 30 s.
import { type Engine, EngineError } from '../engine/engine.ts';
import { type Clock, pause } from '../../core/lib/clock.ts';
import type { EngineState, SettingStore } from '../../core/store/settings.ts';

const resyncEveryMs = 30_000;
const reconnectFirstMs = 200;
const reconnectMaxMs = 5_000;
/**
 * An engine that shuts down grants its containers the longest stop grace (300 s) before it stops
 * answering, and containers are not inspected meanwhile: an end in that time that was not seen
 * before was caused by the engine.
 */
const shutdownMs = 305_000;

interface Deps {
  engine: Engine;
  settings: Pick<SettingStore, 'engineState' | 'saveEngineState'>;
  clock: Clock;
  /** Identity of this boot of the machine. */
  bootId: string;
}

/** Callbacks of the watch; only `resync` may throw. */
export interface WatchListener {
  /** The engine answers (again): earlier observations may be wrong. */
  connected(): void;
  /** Inspect everything: list, compare, wake all bots. */
  resync(): Promise<void>;
  changed(botId: string): void;
  oom(botId: string): void;
  /** The engine stopped or began to answer; `error` is the cause. */
  availability(available: boolean, error: unknown): void;
  /** Something other than the engine failed; the watch continues. */
  failed(error: unknown): void;
}

/** Runs begun before `begunBefore` that ended in this span (ms) ended with engine or machine. */
interface Outage {
  from: number;
  to: number;
  begunBefore: number;
}

export class EngineWatch {
  readonly #deps: Deps;
  readonly #listener: WatchListener;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #available: boolean | null = null;
  #since = 0;
  #lostAt = 0;
  #lastSeenAt = 0;
  #liveRestore = true;
  /** When engine and bots were away together: ends in it don't count against the bots. */
  #outage: Outage | null = null;
  #rechecking = false;

  constructor(deps: Deps, listener: WatchListener) {
    this.#deps = deps;
    this.#listener = listener;
  }

  /** Since when the engine answers, ms. */
  get since(): number {
    return this.#since;
  }

  /** Whether a run of this span (ms) was ended by the engine or the machine and not by itself. */
  wasInterrupted(startedAt: number, finishedAt: number): boolean {
    const isAway = this.#available === false && !this.#liveRestore;
    // The engine may answer an inspect call before this watch learns of its return.
    const outage = isAway ? this.#outageUntilNow() : this.#outage;
    if (!outage || startedAt > outage.begunBefore) return false;
    return finishedAt >= outage.from - shutdownMs && finishedAt <= outage.to;
  }

  async start(): Promise<void> {
    const { settings, clock, bootId } = this.#deps;
    const last = await settings.engineState();
    this.#lastSeenAt = last?.checkedAt ?? clock.now();
    // A restart of the machine ended everything that ran since the last check, also what began
    // after that check; the engine records those ends when it comes back, which may be later.
    if (last && last.bootId !== bootId)
      this.#outage = { from: last.checkedAt, to: Number.POSITIVE_INFINITY, begunBefore: clock.now() };
    this.#running = Promise.all([this.#listen(), this.#resyncPeriodically()]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stop;
    let delay = reconnectFirstMs;
    while (!signal.aborted) {
      try {
        for await (const change of this.#deps.engine.changes(signal)) {
          if (change.kind === 'connected') {
            await this.#connected();
            delay = reconnectFirstMs;
          } else if (change.kind === 'oom') this.#listener.oom(change.botId);
          else this.#listener.changed(change.botId);
        }
        if (!signal.aborted) await this.#lost(new EngineError('unavailable', 'The stream of engine events ended'));
      } catch (error) {
        if (!signal.aborted) await this.#lost(error);
      }
      await this.#pause(delay);
      delay = Math.min(delay * 2, reconnectMaxMs);
    }
  }

  async #connected(): Promise<void> {
    const outage = this.#outageUntilNow();
    this.#listener.connected();
    const { liveRestore } = await this.#deps.engine.info();
    // Without live-restore the engine ends its containers when it stops, and when it comes back.
    if (this.#available === false && !(this.#liveRestore && liveRestore)) this.#outage = outage;
    this.#liveRestore = liveRestore;
    await this.#listener.resync();
    await this.#note(true);
  }

  /** A call got no answer; an engine that hangs breaks no connection. */
  async recheck(): Promise<void> {
    if (this.#available !== true || this.#rechecking) return;
    this.#rechecking = true;
    try {
      await this.#deps.engine.info();
    } catch (error) {
      await this.#lost(error);
    } finally {
      this.#rechecking = false;
    }
  }

  #outageUntilNow(): Outage {
    return { from: this.#lostAt, to: this.#deps.clock.now(), begunBefore: this.#lostAt };
  }

  async #resyncPeriodically(): Promise<void> {
    for (;;) {
      await this.#pause(resyncEveryMs);
      if (this.#stop.signal.aborted) return;
      try {
        await this.#listener.resync();
        await this.#note(true);
      } catch (error) {
        await this.#lost(error);
      }
    }
  }

  async #lost(error: unknown): Promise<void> {
    if (!(error instanceof EngineError)) return this.#listener.failed(error);
    if (this.#available !== false) this.#lostAt = this.#deps.clock.now();
    await this.#note(false, error);
  }

  async #note(available: boolean, error?: unknown): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#available !== available) {
      this.#available = available;
      this.#since = now;
      this.#listener.availability(available, error);
    }
    if (available) this.#lastSeenAt = now;
    const state: EngineState = {
      available,
      since: this.#since,
      checkedAt: this.#lastSeenAt,
      bootId: this.#deps.bootId,
    };
    await this.#deps.settings.saveEngineState(state).catch((failure) => this.#listener.failed(failure));
  }

  async #pause(ms: number): Promise<void> {
    await pause(this.#deps.clock, ms, this.#stop.signal).catch(() => {
      // Only stop() ends a pause early.
    });
  }
}
