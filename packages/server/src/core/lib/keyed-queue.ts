// Runs work by key, shared out fairly among owners: at most one worker per key, whatever its lane;
// owners take turns. A key added meanwhile runs once more afterwards.

/** Keys of different lanes never wait for each other, except for their own running work. */
export interface Lane {
  workers: number;
  /** Workers that one owner may occupy; absent = all. */
  perOwner?: number;
}

interface Options<L extends string> {
  lanes: Record<L, Lane>;
  /** Who shares the turns of the key; absent: every key has its own. */
  ownerOf?(key: string): string;
  /** The signal fires on `abort` and `stop`. Errors go to `onError`. */
  work(key: string, lane: L, signal: AbortSignal): Promise<void>;
  onError(key: string, error: unknown): void;
  /** ms since the epoch. */
  now(): number;
}

/** One owner's share of a lane. */
interface Share {
  running: number;
  /** Keys with the time since when they wait. */
  waiting: Map<string, number>;
  /** When work of this owner last began or ended. */
  turnAt: number;
}

interface LaneState extends Required<Lane> {
  running: number;
  /** Ordered by the last turn. */
  shares: Map<string, Share>;
  /** Waiting keys with the owners under whom they wait. */
  owners: Map<string, string>;
}

export class KeyedQueue<L extends string> {
  readonly #options: Options<L>;
  readonly #lanes: Map<L, LaneState>;
  readonly #running = new Map<string, AbortController>();
  #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: Options<L>) {
    this.#options = options;
    const names = Object.keys(options.lanes) as L[];
    this.#lanes = new Map(
      names.map((name) => {
        const { workers, perOwner = workers } = options.lanes[name];
        return [name, { workers, perOwner, running: 0, shares: new Map(), owners: new Map() }];
      }),
    );
  }

  add(key: string, lane: L): void {
    const state = this.#lanes.get(lane);
    if (this.#stopped || !state || state.owners.has(key)) return;
    const owner = this.#options.ownerOf?.(key) ?? key;
    const now = this.#options.now();
    const share = state.shares.get(owner) ?? { running: 0, waiting: new Map(), turnAt: now };
    share.waiting.set(key, now);
    state.shares.set(owner, share);
    state.owners.set(key, owner);
    this.#pump(lane, state);
  }

  /** Fires the signal of the key's running work. */
  abort(key: string): void {
    this.#running.get(key)?.abort();
  }

  /**
   * How long a key has waited for a worker that its owner may have, ms; 0 = none waits. Waits
   * behind work of the same owner don't count.
   */
  get oldestWaitMs(): number {
    let since = this.#options.now();
    const now = since;
    for (const { shares, perOwner } of this.#lanes.values()) {
      for (const { running, waiting, turnAt } of shares.values()) {
        const first = running < perOwner ? this.#nextOf(waiting) : null;
        if (first !== null) since = Math.min(since, Math.max(turnAt, waiting.get(first) ?? now));
      }
    }
    return now - since;
  }

  /** Resolves when the queue is empty and no worker runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#isWaiting()) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Accepts no more keys, aborts the running work, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { shares, owners } of this.#lanes.values()) {
      owners.clear();
      for (const share of shares.values()) share.waiting.clear();
    }
    for (const controller of this.#running.values()) controller.abort();
    await this.idle();
  }

  #isWaiting(): boolean {
    return this.#lanes.values().some(({ owners }) => owners.size > 0);
  }

  #nextOf(waiting: Map<string, number>): string | null {
    for (const key of waiting.keys()) if (!this.#running.has(key)) return key;
    return null;
  }

  #pump(lane: L, state: LaneState): void {
    while (state.running < state.workers) {
      const next = this.#nextIn(state);
      if (!next) return;
      state.shares.delete(next.owner);
      state.shares.set(next.owner, next.share);
      void this.#run(next.key, lane, { state, ...next });
    }
  }

  /** The owner with the fewest workers; among equals, the one whose last turn is longest ago. */
  #nextIn({ shares, perOwner }: LaneState): { key: string; owner: string; share: Share } | null {
    let next = null;
    let fewest = perOwner;
    for (const [owner, share] of shares) {
      const key = share.running < fewest ? this.#nextOf(share.waiting) : null;
      if (key === null) continue;
      next = { key, owner, share };
      fewest = share.running;
      if (fewest === 0) break;
    }
    return next;
  }

  async #run(
    key: string,
    lane: L,
    { state, owner, share }: { state: LaneState; owner: string; share: Share },
  ): Promise<void> {
    const { work, onError, now } = this.#options;
    const controller = new AbortController();
    share.waiting.delete(key);
    state.owners.delete(key);
    this.#running.set(key, controller);
    state.running++;
    share.running++;
    share.turnAt = now();
    try {
      await work(key, lane, controller.signal);
    } catch (error) {
      onError(key, error);
    }
    this.#running.delete(key);
    state.running--;
    share.running--;
    share.turnAt = now();
    if (share.running === 0 && share.waiting.size === 0) state.shares.delete(owner);
    for (const [name, each] of this.#lanes) {
      // It waited for itself until now.
      const waitsUnder = each.owners.get(key);
      if (waitsUnder !== undefined) each.shares.get(waitsUnder)?.waiting.set(key, now());
      this.#pump(name, each);
    }
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
