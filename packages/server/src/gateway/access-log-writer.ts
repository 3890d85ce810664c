// Stores the gateway's access records in batches: log lines per app, and totals per minute. Memory
// is bounded: lines over the bound are replaced by a count; totals stay complete.
import {
  type Access,
  accessLineOf,
  addMinutes,
  type AppMinute,
  isRefused,
  minuteOf,
} from '../core/domain/app-access.ts';
import type { AccessLine, EntryOf } from '../core/domain/log-line.ts';
import type { Clock, Timer } from '../core/lib/clock.ts';
import type { LineStore } from '../core/logs/line-store.ts';
import type { LogDatabase } from '../core/logs/log-table.ts';

const flushMs = 200;
const retryMs = 2_000;
/** Lines per transaction. */
const batchLines = 500;
/** Pending lines, of all apps and of one app. */
const maxLines = 10_000;
const maxLinesPerApp = 2_000;
/** Of those, requests over a limit: a flood must not push out other lines. */
const maxRefusedPerApp = 20;
const closeTries = 3;

interface Deps {
  lines: Pick<LineStore<AccessLine>, 'append'>;
  minutes: {
    add(minutes: readonly AppMinute[]): Promise<void>;
    /** Which of these apps exist. */
    living(appIds: readonly string[]): Promise<Set<string>>;
  };
  database: Pick<LogDatabase, 'transaction'>;
  clock: Clock;
  report(error: unknown): void;
}

/** Pending records of one app. */
interface Waiting {
  lines: AccessLine[];
  /** Lines of requests over a limit since the last batch. */
  refused: number;
  dropped: number;
}

interface Batch {
  apps: Map<string, Pick<Waiting, 'lines' | 'dropped'>>;
  minutes: AppMinute[];
}

export class AccessLogWriter {
  readonly #deps: Deps;
  #apps = new Map<string, Waiting>();
  #minutes = new Map<string, AppMinute>();
  #count = 0;
  #timer: Timer | null = null;
  #flushing: Promise<boolean> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  note(access: Access): void {
    const now = this.#deps.clock.now();
    this.#addMinute(minuteOf(access, now));
    const waiting = this.#of(access.appId);
    const refused = isRefused(access);
    const isExcessive = refused && waiting.refused >= maxRefusedPerApp;
    if (isExcessive || this.#count >= maxLines || waiting.lines.length >= maxLinesPerApp) waiting.dropped++;
    else {
      if (refused) waiting.refused++;
      waiting.lines.push(accessLineOf(access, now));
      this.#count++;
    }
    this.#arm(flushMs);
  }

  /** Stores what is pending. Records that can't be stored are lost. */
  async close(): Promise<void> {
    for (let tries = 0; tries < closeTries && this.#isFull(1); tries++) {
      await this.#flushing;
      await this.#flush();
    }
    this.#timer?.cancel();
  }

  #of(appId: string): Waiting {
    let waiting = this.#apps.get(appId);
    if (!waiting) this.#apps.set(appId, (waiting = { lines: [], refused: 0, dropped: 0 }));
    return waiting;
  }

  #addMinute(minute: AppMinute): void {
    const key = `${minute.appId} ${minute.at}`;
    const known = this.#minutes.get(key);
    this.#minutes.set(key, known ? addMinutes(known, minute) : minute);
  }

  #arm(delayMs: number): void {
    if (this.#timer || this.#flushing) return;
    this.#timer = this.#deps.clock.after(delayMs, () => void this.#flush());
  }

  #isFull(lines: number): boolean {
    return this.#count >= lines || (lines === 1 && this.#minutes.size > 0);
  }

  #flush(): Promise<boolean> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#flushing ??= this.#storeAll().then((isStored) => {
      this.#flushing = null;
      if (this.#isFull(1)) this.#arm(isStored ? flushMs : retryMs);
      return isStored;
    });
    return this.#flushing;
  }

  /** Stores batches until less than one is pending. */
  async #storeAll(): Promise<boolean> {
    do {
      const batch = this.#take();
      try {
        await this.#deps.database.transaction(() => this.#store(batch));
      } catch (error) {
        this.#deps.report(error);
        this.#putBack(batch);
        return false;
      }
    } while (this.#isFull(batchLines));
    return true;
  }

  /** An app with lines left over goes to the end of the queue. */
  #take(): Batch {
    const minutes = [...this.#minutes.values()];
    this.#minutes = new Map();
    const apps: Batch['apps'] = new Map();
    let left = batchLines;
    for (const [appId, waiting] of this.#apps) {
      if (left === 0) break;
      const lines = waiting.lines.splice(0, left);
      left -= lines.length;
      this.#apps.delete(appId);
      const isAll = waiting.lines.length === 0;
      apps.set(appId, { lines, dropped: isAll ? waiting.dropped : 0 });
      if (!isAll) this.#apps.set(appId, waiting);
    }
    this.#count -= batchLines - left;
    return { apps, minutes };
  }

  #putBack({ apps, minutes }: Batch): void {
    for (const minute of minutes) this.#addMinute(minute);
    for (const [appId, { lines, dropped }] of apps) {
      const waiting = this.#of(appId);
      waiting.lines.unshift(...lines);
      waiting.dropped += dropped;
      this.#count += lines.length;
    }
  }

  async #store({ apps, minutes }: Batch): Promise<void> {
    const living = await this.#deps.minutes.living([...apps.keys(), ...minutes.map(({ appId }) => appId)]);
    await this.#deps.minutes.add(minutes.filter(({ appId }) => living.has(appId)));
    for (const [appId, { lines, dropped }] of apps) {
      if (!living.has(appId)) continue;
      const entries: EntryOf<AccessLine>[] = lines;
      const ts = new Date(this.#deps.clock.now()).toISOString();
      if (dropped > 0) entries.push({ ts, run: 0, dropped: true, count: dropped, reason: 'flood' });
      await this.#deps.lines.append(appId, entries);
    }
  }
}
